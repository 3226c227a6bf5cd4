// What was analysed before, in this browser; every entry can be opened and deleted.
import { useState } from 'react';
import { useWords } from '../i18n/i18n';
import { thaw, writeAddress } from '../state/address';
import { type Entry, isKept, readHistory, setKept, writeHistory } from '../state/history';
import { useStore } from '../state/store';

export default function History() {
  const t = useWords();
  const { state, dispatch } = useStore();
  const [entries, setEntries] = useState(readHistory);
  const [kept, setKeptHere] = useState(isKept);
  const [search, setSearch] = useState('');
  const [sure, setSure] = useState(false);

  const write = (next: Entry[]) => {
    writeHistory(next);
    setEntries(next);
  };
  const shown = entries.filter((e) =>
    `${e.text} ${e.found} ${t.task[e.task].name}`.includes(search.trim()),
  );
  const time = new Intl.DateTimeFormat(t.lang, { dateStyle: 'short', timeStyle: 'medium' });

  return (
    <div>
      <header className="page-head">
        <h1>{t.history.title}</h1>
        <p>{t.history.about}</p>
      </header>
      <section className="panel" aria-label={t.history.title}>
        <div className="row">
          <label className="tick">
            <input
              type="checkbox"
              checked={kept}
              onChange={(event) => {
                setKept(event.target.checked);
                setKeptHere(event.target.checked);
              }}
            />
            {t.history.keep}
          </label>
          <input
            type="search"
            aria-label={t.history.search}
            placeholder={t.history.search}
            value={search}
            onChange={(event) => setSearch(event.target.value)}
          />
          <span className="space" />
          <button
            type="button"
            disabled={entries.length === 0}
            onBlur={() => setSure(false)}
            onClick={() => {
              if (sure) write([]);
              setSure(!sure);
            }}
          >
            {sure ? t.history.confirm : t.history.removeAll}
          </button>
        </div>
        {entries.length === 0 && <p className="empty">{t.history.empty}</p>}
        <ul className="history">
          {shown.map((entry) => (
            <li key={entry.id}>
              <div>
                <p>
                  <span className="badge">{t.task[entry.task].name}</span>{' '}
                  <time className="fine" dateTime={new Date(entry.time).toISOString()}>
                    {time.format(entry.time)}
                  </time>
                </p>
                <p className="cut">
                  <bdi>{entry.text}</bdi>
                </p>
                <p className="cut fine">
                  <bdi>{entry.found || t.result.none}</bdi>
                </p>
              </div>
              <a
                className="button small"
                href={writeAddress({ page: entry.task, lang: state.lang, debug: state.debug })}
                onClick={() =>
                  dispatch({ type: 'fill', task: entry.task, input: thaw(entry.input) })
                }
              >
                {t.history.open}
              </a>
              <button
                type="button"
                className="small"
                onClick={() => write(entries.filter((e) => e.id !== entry.id))}
              >
                {t.history.remove}
              </button>
            </li>
          ))}
        </ul>
      </section>
    </div>
  );
}
