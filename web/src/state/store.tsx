// Joins the state to React, the address and the browser's storage.
import {
  createContext,
  type Dispatch,
  type ReactNode,
  useContext,
  useEffect,
  useMemo,
  useReducer,
} from 'react';
import { DICTIONARIES, WordsContext } from '../i18n/i18n';
import { isTask } from '../tasks/tasks';
import { readAddress, unpackInput, writeAddress } from './address';
import { isRecord, load, save, session } from './local';
import { type Action, firstState, frozenInputs, reduce, type Saved, type State } from './state';

const StoreContext = createContext<{ state: State; dispatch: Dispatch<Action> } | null>(null);

export function useStore() {
  const store = useContext(StoreContext);
  if (!store) throw new Error('no store');
  return store;
}

function start(): State {
  const saved = (load('settings', isRecord) ?? {}) as Saved;
  const inputs = load('inputs', isRecord, session) as Saved['inputs'] | null;
  const { lang, theme } = saved;
  return firstState(readAddress(window.location.hash, window.location.search), {
    ...(lang === 'zh' || lang === 'en' ? { lang } : {}),
    ...(theme === 'light' || theme === 'dark' ? { theme } : {}),
    ...(inputs ? { inputs } : {}),
  });
}

export function StoreProvider({ children }: { children: ReactNode }) {
  const [state, dispatch] = useReducer(reduce, undefined, start);

  useEffect(() => {
    const follow = () => {
      const address = readAddress(window.location.hash, window.location.search);
      dispatch({ type: 'address', address });
      const task = address.page;
      if (address.shared && isTask(task)) {
        unpackInput(address.shared).then(
          (input) => input && dispatch({ type: 'fill', task, input }),
        );
      }
    };
    follow();
    window.addEventListener('hashchange', follow);
    return () => window.removeEventListener('hashchange', follow);
  }, []);

  const { page, lang, debug, theme, inputs } = state;
  useEffect(() => {
    const hash = writeAddress({ page, lang, debug });
    // What stood before the `#` is now behind it.
    window.history.replaceState(null, '', window.location.pathname + hash);
    document.documentElement.lang = DICTIONARIES[lang].lang;
    document.title = `RexUniNLU · ${isTask(page) ? DICTIONARIES[lang].task[page].name : DICTIONARIES[lang].nav[page]}`;
  }, [page, lang, debug]);

  useEffect(() => {
    if (theme === 'auto') delete document.documentElement.dataset.theme;
    else document.documentElement.dataset.theme = theme;
  }, [theme]);

  useEffect(() => {
    save('settings', { lang, theme });
  }, [lang, theme]);

  useEffect(() => {
    // Not at every key; but a page that goes away, by a reload for example, has no later moment.
    const keep = () => save('inputs', frozenInputs(inputs), session);
    const timer = setTimeout(keep, 500);
    window.addEventListener('pagehide', keep);
    return () => {
      clearTimeout(timer);
      window.removeEventListener('pagehide', keep);
    };
  }, [inputs]);

  const store = useMemo(() => ({ state, dispatch }), [state]);
  return (
    <StoreContext value={store}>
      <WordsContext value={DICTIONARIES[lang]}>{children}</WordsContext>
    </StoreContext>
  );
}
