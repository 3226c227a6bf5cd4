// Where the texts of a batch come from: a file, or lines pasted.
import { useState } from 'react';
import { decodeFile, kindOf, readTable } from '../files/rows';
import { useWords } from '../i18n/i18n';
import { batch } from '../state/batch';

export function BatchInput() {
  const t = useWords();
  const [fault, setFault] = useState('');
  const [over, setOver] = useState(false);
  const [pasted, setPasted] = useState('');

  const take = async (file: File | undefined) => {
    if (!file) return;
    const kind = kindOf(file.name);
    if (!kind) return setFault(t.batch.badFile);
    const table = readTable(decodeFile(await file.arrayBuffer()), kind);
    if (table.rows.length === 0) return setFault(t.batch.emptyFile);
    setFault('');
    batch.load(file.name, table);
  };

  return (
    <section className="panel" aria-label={t.batch.title}>
      {/* biome-ignore lint/a11y/noStaticElementInteractions: a drop target; the button beside it does the same */}
      <div
        className={`drop${over ? ' over' : ''}`}
        onDragOver={(event) => {
          event.preventDefault();
          setOver(true);
        }}
        onDragLeave={() => setOver(false)}
        onDrop={(event) => {
          event.preventDefault();
          setOver(false);
          take(event.dataTransfer.files[0]);
        }}
      >
        <span>{t.batch.drop} </span>
        <label className="button">
          {t.batch.choose}
          <input
            type="file"
            accept=".txt,.csv,.tsv,.jsonl,.ndjson"
            className="visually-hidden"
            onChange={(event) => {
              take(event.target.files?.[0]);
              event.target.value = '';
            }}
          />
        </label>
        <p className="fine">{t.batch.formats}</p>
        {fault && (
          <p className="fault" role="alert">
            {fault}
          </p>
        )}
      </div>
      <label className="field">
        <span className="field-label">{t.batch.paste}</span>
        <textarea
          rows={5}
          spellCheck={false}
          value={pasted}
          onChange={(event) => setPasted(event.target.value)}
        />
      </label>
      <div className="row">
        <button
          type="button"
          disabled={pasted.trim() === ''}
          onClick={() => {
            batch.load(t.batch.pasted, readTable(pasted, 'txt'));
            setPasted('');
          }}
        >
          {t.batch.use}
        </button>
      </div>
    </section>
  );
}
