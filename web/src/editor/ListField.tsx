// A plain list of strings, edited as chips.
import { Chips } from './Chips';

export function ListField(props: {
  label: string;
  hint?: string;
  placeholder: string;
  values: readonly string[];
  whole?: boolean;
  onChange: (values: string[]) => void;
}) {
  const { values, onChange } = props;
  const move = (from: number, to: number) => {
    const value = values[from];
    if (value === undefined) return;
    onChange(values.toSpliced(from, 1).toSpliced(to, 0, value));
  };
  return (
    <div className="field">
      <span className="field-label">{props.label}</span>
      <Chips
        label={props.label}
        placeholder={props.placeholder}
        whole={props.whole ?? false}
        chips={values.map((label, i) => ({ id: String(i), label }))}
        onAdd={(labels) => onChange([...values, ...labels.filter((l) => !values.includes(l))])}
        onRename={(id, label) =>
          onChange(label === '' ? values.toSpliced(Number(id), 1) : values.with(Number(id), label))
        }
        onRemove={(id) => onChange(values.toSpliced(Number(id), 1))}
        onShift={(id, by) =>
          move(Number(id), Math.max(0, Math.min(values.length - 1, Number(id) + by)))
        }
        onDrop={(id, target, place) => {
          const from = Number(id);
          const to = Number(target) + (place === 'after' ? 1 : 0);
          move(from, from < to ? to - 1 : to);
        }}
      />
      {props.hint && <p className="fine">{props.hint}</p>}
    </div>
  );
}
