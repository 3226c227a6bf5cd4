// A list of words as chips: type or paste to add, click to rename, drag or Alt + arrow to reorder.
import { type DragEvent, type KeyboardEvent, useId, useRef, useState } from 'react';
import { useWords } from '../i18n/i18n';
import { splitLabels } from '../schema/tree';

export interface Chip {
  id: string;
  label: string;
}

export function Chips(props: {
  label: string;
  chips: readonly Chip[];
  placeholder: string;
  faults?: ReadonlyMap<string, string>;
  /** Questions and choices hold commas; only a line break parts them. */
  whole?: boolean;
  onAdd: (labels: string[]) => void;
  onRename: (id: string, label: string) => void;
  onRemove: (id: string) => void;
  onShift: (id: string, by: number) => void;
  onDrop: (id: string, target: string, place: 'before' | 'after') => void;
}) {
  const t = useWords();
  const name = useId();
  const [draft, setDraft] = useState('');
  const [editing, setEditing] = useState<string | null>(null);
  const [over, setOver] = useState<{ id: string; place: 'before' | 'after' } | null>(null);
  const dragged = useRef<string | null>(null);
  const list = useRef<HTMLUListElement>(null);
  const entry = useRef<HTMLInputElement>(null);

  const split = (text: string) =>
    props.whole
      ? text
          .split(/[\n\r]+/)
          .map((s) => s.trim())
          .filter(Boolean)
      : splitLabels(text);
  const add = (text: string) => {
    const labels = split(text);
    if (labels.length > 0) props.onAdd(labels);
    setDraft('');
  };
  const focusChip = (at: number) =>
    setTimeout(() => {
      const names = list.current?.querySelectorAll<HTMLElement>('.chip-name');
      const chip = names?.[Math.min(at, names.length - 1)];
      (chip ?? entry.current)?.focus();
    });
  const keys = (event: KeyboardEvent, chip: Chip, at: number) => {
    const by = { ArrowLeft: -1, ArrowUp: -1, ArrowRight: 1, ArrowDown: 1 }[event.key];
    if (event.altKey && by) {
      event.preventDefault();
      props.onShift(chip.id, by);
      focusChip(Math.max(0, at + by));
    } else if (event.key === 'Delete' || event.key === 'Backspace') {
      event.preventDefault();
      props.onRemove(chip.id);
      focusChip(at);
    } else if (event.key === 'F2') setEditing(chip.id);
  };
  const placeOf = (event: DragEvent<HTMLElement>): 'before' | 'after' => {
    const box = event.currentTarget.getBoundingClientRect();
    return event.clientX < box.left + box.width / 2 ? 'before' : 'after';
  };

  return (
    <div className="chips">
      <ul ref={list} aria-label={props.label}>
        {props.chips.map((chip, at) => {
          const fault = props.faults?.get(chip.id);
          return (
            <li
              key={chip.id}
              className={`chip${fault ? ' bad' : ''}${over?.id === chip.id ? ` drop-${over.place}` : ''}`}
              title={fault}
              draggable={editing !== chip.id}
              onDragStart={(event) => {
                dragged.current = chip.id;
                event.dataTransfer.setData('text/plain', chip.label);
                event.dataTransfer.effectAllowed = 'move';
              }}
              onDragOver={(event) => {
                if (dragged.current === null) return;
                event.preventDefault();
                setOver({ id: chip.id, place: placeOf(event) });
              }}
              onDragLeave={() => setOver(null)}
              onDragEnd={() => {
                dragged.current = null;
                setOver(null);
              }}
              onDrop={(event) => {
                event.preventDefault();
                if (dragged.current !== null)
                  props.onDrop(dragged.current, chip.id, placeOf(event));
                dragged.current = null;
                setOver(null);
              }}
            >
              {editing === chip.id ? (
                <input
                  aria-label={t.schema.rename}
                  defaultValue={chip.label}
                  // biome-ignore lint/a11y/noAutofocus: the user has just asked to edit this very field
                  autoFocus
                  size={Math.max(4, chip.label.length * 2)}
                  onBlur={(event) => {
                    props.onRename(chip.id, event.target.value.trim());
                    setEditing(null);
                  }}
                  onKeyDown={(event) => {
                    if (event.key === 'Enter') event.currentTarget.blur();
                    if (event.key === 'Escape') {
                      event.currentTarget.value = chip.label;
                      event.currentTarget.blur();
                    }
                  }}
                />
              ) : (
                <button
                  type="button"
                  className="chip-name"
                  aria-label={t.schema.chipLabel(chip.label)}
                  onClick={() => setEditing(chip.id)}
                  onKeyDown={(event) => keys(event, chip, at)}
                >
                  <bdi>{chip.label || '…'}</bdi>
                </button>
              )}
              <button
                type="button"
                className="chip-x"
                aria-label={t.form.removeItem(chip.label)}
                onClick={() => {
                  props.onRemove(chip.id);
                  focusChip(at);
                }}
              >
                ×
              </button>
            </li>
          );
        })}
      </ul>
      <input
        ref={entry}
        id={name}
        className="chip-entry"
        aria-label={`${props.label}: ${props.placeholder}`}
        placeholder={props.placeholder}
        value={draft}
        onChange={(event) => setDraft(event.target.value)}
        onPaste={(event) => {
          const text = event.clipboardData.getData('text');
          if (split(text).length < 2) return;
          event.preventDefault();
          add(draft + text);
        }}
        onKeyDown={(event) => {
          // The Enter that ends an input method's composition is not ours.
          if (event.nativeEvent.isComposing) return;
          const ends =
            event.key === 'Enter' ||
            (!props.whole && [',', '，', '、', ';', '；'].includes(event.key));
          if (ends && !event.ctrlKey && !event.metaKey) {
            event.preventDefault();
            add(draft);
          } else if (event.key === 'Backspace' && draft === '' && props.chips.length > 0) {
            event.preventDefault();
            focusChip(props.chips.length - 1);
          }
        }}
        onBlur={() => add(draft)}
      />
    </div>
  );
}
