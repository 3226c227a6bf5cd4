// Fields of single tasks, and the options that all share.
import { ListField } from '../editor/ListField';
import { useWords } from '../i18n/i18n';
import { treeOf } from '../schema/tree';
import type { TaskInput } from '../tasks/input';
import { SHAPES, type TaskId } from '../tasks/tasks';

interface Props {
  task: TaskId;
  input: TaskInput;
  onChange: (change: Partial<TaskInput>) => void;
}

function Tick(props: { label: string; checked: boolean; onChange: (on: boolean) => void }) {
  return (
    <label className="tick">
      <input
        type="checkbox"
        checked={props.checked}
        onChange={(event) => props.onChange(event.target.checked)}
      />
      {props.label}
    </label>
  );
}

function Choice<T extends string>(props: {
  label: string;
  value: T;
  options: [T, string][];
  onChange: (value: T) => void;
}) {
  return (
    <fieldset className="choice">
      <legend>{props.label}</legend>
      {props.options.map(([value, name]) => (
        <label key={value} className="tick">
          <input
            type="radio"
            name={props.label}
            checked={props.value === value}
            onChange={() => props.onChange(value)}
          />
          {name}
        </label>
      ))}
    </fieldset>
  );
}

export function TaskFields({ task, input, onChange }: Props) {
  const t = useWords();
  if (task === 'matching') {
    return (
      <>
        <Choice
          label={t.form.mode}
          value={input.mode}
          options={[
            ['similar', t.form.modeSimilar],
            ['nli', t.form.modeNli],
            ['custom', t.form.modeCustom],
          ]}
          onChange={(mode) => onChange({ mode })}
        />
        {input.mode === 'custom' && (
          <>
            <ListField
              label={t.form.labels}
              placeholder={t.schema.chipPlaceholder}
              values={input.labels}
              onChange={(labels) => onChange({ labels })}
            />
            <label className="field">
              <span className="field-label">{t.form.prompt}</span>
              <input
                value={input.prompt}
                onChange={(event) => onChange({ prompt: event.target.value })}
              />
              <span className="fine">{t.form.promptHint}</span>
            </label>
          </>
        )}
        <Tick
          label={t.form.symmetric}
          checked={input.symmetric}
          onChange={(symmetric) => onChange({ symmetric })}
        />
      </>
    );
  }
  if (task === 'reading') {
    return (
      <>
        <ListField
          whole
          label={t.form.questions}
          placeholder={t.form.questionPlaceholder}
          values={input.questions}
          onChange={(questions) => onChange({ questions })}
        />
        <ListField
          whole
          label={t.form.choices}
          hint={t.form.choicesHint}
          placeholder={t.form.addChoice}
          values={input.choices}
          onChange={(choices) => onChange({ choices })}
        />
      </>
    );
  }
  if (task === 'coref') {
    return (
      <>
        <ListField
          label={t.form.pronouns}
          hint={t.form.pronounsHint}
          placeholder="它、她、他"
          values={input.pronouns}
          onChange={(pronouns) => onChange({ pronouns })}
        />
        <ListField
          label={t.form.candidates}
          hint={t.form.candidatesHint}
          placeholder={t.schema.chipPlaceholder}
          values={input.candidates}
          onChange={(candidates) => onChange({ candidates })}
        />
      </>
    );
  }
  if (task === 'sentiment') {
    return (
      <Choice
        label={t.form.level}
        value={input.level}
        options={[
          ['aspect', t.form.levelAspect],
          ['sentence', t.form.levelSentence],
        ]}
        onChange={(level) =>
          onChange({
            level,
            schemaText: null,
            tree: treeOf(
              level === 'sentence'
                ? ['正向情感', '负向情感']
                : { 属性词: ['正向情感(情感词)', '负向情感(情感词)', '中性情感(情感词)'] },
            ),
          })
        }
      />
    );
  }
  if (task === 'hierarchical') {
    return (
      <div className="row">
        <Tick
          label={t.form.multi}
          checked={input.multi}
          onChange={(multi) => onChange({ multi })}
        />
        <Tick
          label={t.form.stopEarly}
          checked={input.stopEarly}
          onChange={(stopEarly) => onChange({ stopEarly })}
        />
      </div>
    );
  }
  return null;
}

function NumberField(props: {
  label: string;
  value: number | null;
  usual: string;
  min: number;
  max: number;
  step: number;
  onChange: (value: number | null) => void;
}) {
  return (
    <label className="field narrow">
      <span className="field-label">{props.label}</span>
      <input
        type="number"
        min={props.min}
        max={props.max}
        step={props.step}
        value={props.value ?? ''}
        placeholder={props.usual}
        onChange={(event) => {
          const value = event.target.valueAsNumber;
          props.onChange(Number.isNaN(value) ? null : value);
        }}
      />
    </label>
  );
}

export function Options({ task, input, onChange }: Props) {
  const t = useWords();
  const extraction = ![
    'classification',
    'multi_label',
    'hierarchical',
    'matching',
    'coref',
  ].includes(task);
  return (
    <details className="options">
      <summary>{t.form.options}</summary>
      <div className="options-body">
        <NumberField
          label={t.form.threshold}
          value={input.threshold}
          usual={t.form.default(String(SHAPES[task].threshold))}
          min={0}
          max={1}
          step={0.05}
          onChange={(threshold) => onChange({ threshold })}
        />
        {extraction && (
          <>
            <NumberField
              label={t.form.maxSpans}
              value={input.maxSpans}
              usual={t.form.unlimited}
              min={0}
              max={10000}
              step={1}
              onChange={(maxSpans) => onChange({ maxSpans })}
            />
            <label className="field narrow">
              <span className="field-label">{t.form.overlap}</span>
              <select
                value={input.overlap}
                onChange={(event) =>
                  onChange({ overlap: event.target.value as TaskInput['overlap'] })
                }
              >
                <option value="all">{t.form.overlapAll}</option>
                <option value="longest">{t.form.overlapLongest}</option>
                <option value="score">{t.form.overlapScore}</option>
              </select>
            </label>
          </>
        )}
        <NumberField
          label={t.form.maxLength}
          value={input.maxLength}
          usual={t.form.default('512')}
          min={16}
          max={512}
          step={16}
          onChange={(maxLength) => onChange({ maxLength })}
        />
        {(task === 'absa' || task === 'sentiment') && (
          <Tick
            label={t.form.implicitAspect}
            checked={input.implicitAspect}
            onChange={(implicitAspect) => onChange({ implicitAspect })}
          />
        )}
      </div>
    </details>
  );
}
