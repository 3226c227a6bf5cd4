// A row of tabs after the ARIA pattern: arrow keys move, one tab stop.
import type { KeyboardEvent } from 'react';

export interface Tab<T extends string> {
  id: T;
  name: string;
}

export function Tabs<T extends string>(props: {
  label: string;
  tabs: readonly Tab<T>[];
  current: T;
  /** Prefix of ids; the panel is `${name}-panel`. */
  name: string;
  onPick: (id: T) => void;
}) {
  const { tabs, current, name, onPick } = props;
  const move = (event: KeyboardEvent, i: number) => {
    const by = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
    const to = event.key === 'Home' ? 0 : event.key === 'End' ? tabs.length - 1 : by && i + by;
    if (to === undefined) return;
    event.preventDefault();
    const next = tabs[(to + tabs.length) % tabs.length] as Tab<T>;
    onPick(next.id);
    document.getElementById(`${name}-${next.id}`)?.focus();
  };
  return (
    <div role="tablist" aria-label={props.label} className="tabs">
      {tabs.map((tab, i) => (
        <button
          key={tab.id}
          type="button"
          role="tab"
          id={`${name}-${tab.id}`}
          aria-selected={tab.id === current}
          aria-controls={`${name}-panel`}
          tabIndex={tab.id === current ? 0 : -1}
          onClick={() => onPick(tab.id)}
          onKeyDown={(event) => move(event, i)}
        >
          {tab.name}
        </button>
      ))}
    </div>
  );
}
