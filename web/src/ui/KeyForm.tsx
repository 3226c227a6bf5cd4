// Shown where the server refuses a call for want of a key.
import { useState } from 'react';
import { writeKey } from '../api/key';
import { useWords } from '../i18n/i18n';

export function KeyForm({ onDone }: { onDone: () => void }) {
  const t = useWords();
  const [key, setKey] = useState('');
  return (
    <form
      className="row"
      onSubmit={(event) => {
        event.preventDefault();
        writeKey(key.trim());
        onDone();
      }}
    >
      <label className="row">
        {t.key.label}
        <input
          type="password"
          autoComplete="off"
          value={key}
          onChange={(event) => setKey(event.target.value)}
        />
      </label>
      <button type="submit" disabled={key.trim() === ''}>
        {t.key.use}
      </button>
      <p>{t.key.hint}</p>
    </form>
  );
}
