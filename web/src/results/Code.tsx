// The request as code, and the answer as it came.
import { useState } from 'react';
import { urlOf } from '../api/client';
import { curlSnippet, javascriptSnippet, pythonSnippet } from '../api/snippets';
import { useWords } from '../i18n/i18n';
import { CopyButton } from '../ui/CopyButton';
import { Tabs } from '../ui/Tabs';

const WRITERS = { curl: curlSnippet, python: pythonSnippet, javascript: javascriptSnippet };

export function CodeView({ path, body }: { path: string; body: string }) {
  const t = useWords();
  const [kind, setKind] = useState<keyof typeof WRITERS>('curl');
  const text = WRITERS[kind](urlOf(path), body);
  return (
    <div>
      <div className="row">
        <Tabs
          label={t.result.code}
          name="code"
          current={kind}
          onPick={setKind}
          tabs={[
            { id: 'curl', name: 'curl' },
            { id: 'python', name: 'Python' },
            { id: 'javascript', name: 'JavaScript' },
          ]}
        />
        <CopyButton text={text} />
      </div>
      <div id="code-panel" role="tabpanel" aria-labelledby={`code-${kind}`}>
        <Pre text={text} label={t.result.code} />
        <p className="fine">{t.code.hint}</p>
      </div>
    </div>
  );
}

export function JsonViewer({ value }: { value: unknown }) {
  const text = JSON.stringify(value, null, 2);
  return (
    <div>
      <div className="row end">
        <CopyButton text={text} />
      </div>
      <Pre text={text} label="JSON" />
    </div>
  );
}

const MOST = 200_000;

export function Pre({ text, label }: { text: string; label: string }) {
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: a region that scrolls must take the focus
    <section className="scroll" tabIndex={0} aria-label={label}>
      <pre className="code">{text.length > MOST ? `${text.slice(0, MOST)}\n…` : text}</pre>
    </section>
  );
}
