import { useWords } from '../i18n/i18n';
import { writeAddress } from '../state/address';
import { useStore } from '../state/store';
import { TASKS, type TaskId } from '../tasks/tasks';

/** Picks a task, with a link to the page where its labels are edited. */
export function TaskSelect(props: {
  value: TaskId;
  disabled?: boolean;
  note: string;
  onPick: (task: TaskId) => void;
}) {
  const t = useWords();
  const { state } = useStore();
  return (
    <div className="field">
      <label className="row">
        <span className="field-label">{t.batch.task}</span>
        <select
          value={props.value}
          disabled={props.disabled}
          onChange={(event) => props.onPick(event.target.value as TaskId)}
        >
          {TASKS.map((task) => (
            <option key={task} value={task}>
              {t.task[task].name}
            </option>
          ))}
        </select>
      </label>
      <p className="fine">
        {props.note}{' '}
        <a href={writeAddress({ page: props.value, lang: state.lang, debug: state.debug })}>
          {t.batch.edit}
        </a>
      </p>
    </div>
  );
}
