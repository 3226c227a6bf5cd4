// Ready-made schemas by subject, and one's own: saved in the browser, exported, imported.
import { useEffect, useRef, useState } from 'react';
import { download } from '../files/download';
import { useWords } from '../i18n/i18n';
import {
  applyPreset,
  exportPresets,
  importPresets,
  type OwnPreset,
  presetOf,
  readOwn,
  withPreset,
  writeOwn,
} from '../schema/own-presets';
import { PRESETS, type Preset } from '../schema/presets';
import { fetchServerPresets, type ServerPreset } from '../schema/server-presets';
import { treeOf } from '../schema/tree';
import { writeAddress } from '../state/address';
import { useStore } from '../state/store';
import { emptyInput, type TaskInput } from '../tasks/input';
import type { TaskId } from '../tasks/tasks';

export function PresetMenu({ task, input }: { task: TaskId; input: TaskInput }) {
  const t = useWords();
  const { state, dispatch } = useStore();
  const dialog = useRef<HTMLDialogElement>(null);
  const [own, setOwn] = useState<OwnPreset[]>([]);
  const [shared, setShared] = useState<ServerPreset[]>([]);
  const [withText, setWithText] = useState(true);
  const [name, setName] = useState('');
  const [note, setNote] = useState('');
  const zh = t.lang === 'zh-CN';
  useEffect(() => setOwn(readOwn()), []);

  const go = (to: TaskId, filled: TaskInput) => {
    dispatch({ type: 'fill', task: to, input: filled });
    dialog.current?.close();
    if (to !== task)
      window.location.hash = writeAddress({ page: to, lang: state.lang, debug: state.debug });
  };
  const fillBuiltIn = (preset: Preset) => {
    const before = state.inputs[preset.task];
    go(preset.task, {
      ...emptyInput(),
      text: withText ? preset.text : task === preset.task ? input.text : before.text,
      tree: treeOf(preset.schema),
    });
  };
  const keep = (presets: OwnPreset[]) => {
    setOwn(presets);
    writeOwn(presets);
  };
  const topics = [...new Set(PRESETS.map((p) => p.topic))];

  return (
    <>
      <button
        type="button"
        className="small"
        onClick={() => {
          dialog.current?.showModal();
          fetchServerPresets().then(setShared);
        }}
      >
        {t.schema.presets}
      </button>
      <dialog ref={dialog} aria-label={t.schema.presets} className="presets">
        <div className="dialog-head">
          <h2>{t.schema.builtIn}</h2>
          <button
            type="button"
            className="chip-x"
            aria-label={t.close}
            onClick={() => dialog.current?.close()}
          >
            ×
          </button>
        </div>
        <label className="tick">
          <input
            type="checkbox"
            checked={withText}
            onChange={(event) => setWithText(event.target.checked)}
          />
          {t.schema.withText}
        </label>
        {topics.map((topic) => (
          <section key={topic} className="topic">
            <h3>{t.topic[topic]}</h3>
            <div className="preset-list">
              {PRESETS.filter((p) => p.topic === topic).map((preset) => (
                <button
                  key={preset.zh}
                  type="button"
                  className="preset"
                  onClick={() => fillBuiltIn(preset)}
                >
                  <span>{zh ? preset.zh : preset.en}</span>
                  <span className="fine">{t.task[preset.task].name}</span>
                </button>
              ))}
            </div>
          </section>
        ))}
        {shared.length > 0 && (
          <>
            <h2>{t.schema.shared}</h2>
            <div className="preset-list">
              {shared.map((preset) => (
                <button
                  key={preset.name}
                  type="button"
                  className="preset"
                  title={preset.description}
                  onClick={() =>
                    go(preset.task, {
                      ...state.inputs[preset.task],
                      tree: preset.tree,
                      schemaText: preset.schemaText,
                    })
                  }
                >
                  <bdi>{preset.name}</bdi>
                  <span className="fine">{t.task[preset.task].name}</span>
                </button>
              ))}
            </div>
          </>
        )}
        <h2>{t.schema.own}</h2>
        {own.length === 0 && <p className="fine">{t.schema.noOwn}</p>}
        <div className="preset-list">
          {own.map((preset) => (
            <span key={`${preset.task} ${preset.name}`} className="own">
              <button
                type="button"
                className="preset"
                aria-label={t.schema.use(preset.name)}
                onClick={() => go(preset.task, applyPreset(preset, state.inputs[preset.task]))}
              >
                <bdi>{preset.name}</bdi>
                <span className="fine">{t.task[preset.task].name}</span>
              </button>
              <button
                type="button"
                className="chip-x"
                aria-label={t.form.removeItem(preset.name)}
                onClick={() => keep(own.filter((p) => p !== preset))}
              >
                ×
              </button>
            </span>
          ))}
        </div>
        <form
          className="row"
          onSubmit={(event) => {
            event.preventDefault();
            if (name.trim() === '') return;
            keep(withPreset(own, presetOf(name.trim(), task, input)));
            setName('');
          }}
        >
          <input
            aria-label={t.schema.saveName}
            placeholder={t.schema.saveName}
            value={name}
            maxLength={100}
            onChange={(event) => setName(event.target.value)}
          />
          <button type="submit" disabled={name.trim() === ''}>
            {t.schema.save}
          </button>
          <button
            type="button"
            disabled={own.length === 0}
            onClick={() =>
              download('rexuninlu-presets.json', exportPresets(own), 'application/json')
            }
          >
            {t.schema.exportAll}
          </button>
          <label className="button">
            {t.schema.importFile}
            <input
              type="file"
              accept=".json,application/json"
              className="visually-hidden"
              onChange={async (event) => {
                const file = event.target.files?.[0];
                event.target.value = '';
                if (!file) return;
                const added = importPresets(await file.text());
                if (added) keep(added.reduce(withPreset, own));
                setNote(added ? t.schema.imported(added.length) : t.schema.importBad);
              }}
            />
          </label>
          <span role="status" className="fine">
            {note}
          </span>
        </form>
      </dialog>
    </>
  );
}
