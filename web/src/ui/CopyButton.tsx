import { useState } from 'react';
import { useWords } from '../i18n/i18n';

export async function copyText(text: string): Promise<void> {
  try {
    await navigator.clipboard.writeText(text);
  } catch {
    // Without https the clipboard is closed to scripts; a selected field can still be copied.
    const field = document.createElement('textarea');
    field.value = text;
    field.setAttribute('readonly', '');
    field.className = 'visually-hidden';
    document.body.append(field);
    field.select();
    document.execCommand('copy');
    field.remove();
  }
}

export function CopyButton({ text }: { text: string }) {
  const t = useWords();
  const [done, setDone] = useState(false);
  return (
    <button
      type="button"
      className="small"
      onClick={async () => {
        await copyText(text);
        setDone(true);
        setTimeout(() => setDone(false), 1500);
      }}
    >
      <span aria-live="polite">{done ? `✓ ${t.code.copied}` : t.code.copy}</span>
    </button>
  );
}
