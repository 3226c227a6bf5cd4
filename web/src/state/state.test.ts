import { describe, expect, it } from 'vitest';
import { emptyInput } from '../tasks/input';
import { firstState, frozenInputs, type Outcome, reduce } from './state';

const address = { page: 'ner', lang: null, debug: false, shared: null } as const;
const start = () => firstState(address, {});
const outcome: Outcome = { sent: '', text: '', answer: null, error: null, elapsed: 1, headers: {} };

describe('the state', () => {
  it('begins with an example in every task', () => {
    const { inputs } = start();
    expect(inputs.ner.text).not.toBe('');
    expect(inputs.matching.text1).not.toBe('');
    expect(inputs.reading.questions.length).toBeGreaterThan(0);
  });

  it('keeps inputs and results while pages change', () => {
    let state = reduce(start(), { type: 'edit', task: 'ner', change: { text: '改' } });
    state = reduce(state, { type: 'ended', task: 'ner', outcome });
    state = reduce(state, { type: 'address', address: { ...address, page: 'event' } });
    state = reduce(state, { type: 'address', address });
    expect(state.inputs.ner.text).toBe('改');
    expect(state.outcomes.ner).toBe(outcome);
  });

  it('an address without a language keeps the one in use', () => {
    const state = reduce(start(), { type: 'lang', lang: 'en' });
    expect(reduce(state, { type: 'address', address }).lang).toBe('en');
  });

  it('a filled form has no result', () => {
    const state = reduce(start(), { type: 'ended', task: 'ner', outcome });
    expect(
      reduce(state, { type: 'fill', task: 'ner', input: emptyInput() }).outcomes.ner,
    ).toBeUndefined();
  });

  it('a stopped run leaves the last result', () => {
    let state = reduce(start(), { type: 'ended', task: 'ner', outcome });
    state = reduce(state, { type: 'started', task: 'ner' });
    expect(state.running.ner).toBe(true);
    state = reduce(state, { type: 'ended', task: 'ner', outcome: null });
    expect(state.running.ner).toBe(false);
    expect(state.outcomes.ner).toBe(outcome);
  });

  it('comes back from what was saved', () => {
    const changed = reduce(start(), {
      type: 'edit',
      task: 'reading',
      change: { questions: ['谁？'] },
    });
    const saved = JSON.parse(JSON.stringify(frozenInputs(changed.inputs)));
    const back = firstState(address, { lang: 'en', theme: 'dark', inputs: saved });
    expect(back.inputs.reading.questions).toEqual(['谁？']);
    expect([back.lang, back.theme]).toEqual(['en', 'dark']);
  });
});
