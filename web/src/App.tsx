import { lazy, Suspense } from 'react';
import { useWords } from './i18n/i18n';
import { TaskPage } from './pages/TaskPage';
import type { Tool } from './state/address';
import { useStore } from './state/store';
import { isTask } from './tasks/tasks';
import { Header } from './ui/Header';
import { Nav } from './ui/Nav';

const TOOL_PAGES: Record<Tool, ReturnType<typeof lazy>> = {
  all: lazy(() => import('./pages/AllTasks')),
  batch: lazy(() => import('./pages/Batch')),
  compare: lazy(() => import('./pages/Compare')),
  monitor: lazy(() => import('./pages/Monitor')),
  history: lazy(() => import('./pages/History')),
};

export function App() {
  const t = useWords();
  const { state, dispatch } = useStore();
  const { page } = state;
  const ToolPage = isTask(page) ? null : TOOL_PAGES[page];
  return (
    <>
      {/* The address holds the page's name, so a plain link to the anchor would leave the page. */}
      <button
        type="button"
        className="skip"
        onClick={() => document.getElementById('main')?.focus()}
      >
        {t.skip}
      </button>
      <Header />
      {state.debug && (
        <div className="banner" role="status">
          {t.debugBanner}{' '}
          <button
            type="button"
            className="small"
            onClick={() => dispatch({ type: 'debug', on: false })}
          >
            {t.debugOff}
          </button>
        </div>
      )}
      <div className="frame">
        <Nav />
        <main id="main" tabIndex={-1}>
          {isTask(page) ? (
            <TaskPage key={page} task={page} />
          ) : (
            <Suspense fallback={<p className="fine">…</p>}>{ToolPage && <ToolPage />}</Suspense>
          )}
        </main>
      </div>
    </>
  );
}
