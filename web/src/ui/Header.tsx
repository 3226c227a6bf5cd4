import { useWords } from '../i18n/i18n';
import { useServer } from '../state/server';
import type { Theme } from '../state/state';
import { useStore } from '../state/store';

export function Header() {
  const t = useWords();
  const { state, dispatch } = useStore();
  const { server, info } = useServer();
  const state_ = server === 'unknown' ? 'loading' : server;
  const model = info?.model?.name ?? info?.name;
  const about = [model, info?.device, info?.precision]
    .filter((x) => typeof x === 'string')
    .join(' · ');
  return (
    <header className="top">
      <a className="brand" href={`#/ner`}>
        <img src="./favicon.svg" alt="" width={24} height={24} />
        RexUniNLU <span className="fine">{t.title}</span>
      </a>
      <span className={`server ${state_}`} role="status" title={about}>
        <i aria-hidden="true">{state_ === 'ready' ? '●' : state_ === 'loading' ? '◐' : '○'}</i>{' '}
        {t.status[state_]}
        <span className="fine about">{about}</span>
      </span>
      <label className="tick">
        <input
          type="checkbox"
          checked={state.debug}
          onChange={(event) => dispatch({ type: 'debug', on: event.target.checked })}
        />
        {t.debugOn}
      </label>
      <select
        aria-label={t.theme.label}
        value={state.theme}
        onChange={(event) => dispatch({ type: 'theme', theme: event.target.value as Theme })}
      >
        <option value="auto">{t.theme.auto}</option>
        <option value="light">{t.theme.light}</option>
        <option value="dark">{t.theme.dark}</option>
      </select>
      <button
        type="button"
        className="small"
        lang={state.lang === 'zh' ? 'en' : 'zh-CN'}
        onClick={() => dispatch({ type: 'lang', lang: state.lang === 'zh' ? 'en' : 'zh' })}
      >
        {t.switchLang}
      </button>
    </header>
  );
}
