import { useWords } from '../i18n/i18n';
import { type Page, TOOLS, writeAddress } from '../state/address';
import { useStore } from '../state/store';
import { TASK_GROUPS } from '../tasks/tasks';

export function Nav() {
  const t = useWords();
  const { state } = useStore();
  const link = (page: Page, name: string) => (
    <li key={page}>
      <a
        href={writeAddress({ page, lang: state.lang, debug: state.debug })}
        aria-current={state.page === page ? 'page' : undefined}
      >
        {name}
      </a>
    </li>
  );
  return (
    <nav className="side" aria-label={t.nav.label}>
      {TASK_GROUPS.map((group) => (
        <div key={group.id}>
          <h2>{t.nav[group.id]}</h2>
          <ul>{group.tasks.map((task) => link(task, t.task[task].name))}</ul>
        </div>
      ))}
      <div>
        <h2>{t.nav.tools}</h2>
        <ul>{TOOLS.map((tool) => link(tool, t.nav[tool]))}</ul>
      </div>
    </nav>
  );
}
