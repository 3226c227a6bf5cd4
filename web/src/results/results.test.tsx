import { fireEvent, screen, within } from '@testing-library/react';
import { describe, expect, it } from 'vitest';
import { type Answer, spansOf } from '../tasks/answer';
import { FIXTURES, fixture } from '../testing/fixtures';
import { renderPage } from '../testing/page';
import { paletteOf } from '../ui/colours';
import { AnswerView, viewsOf } from './AnswerView';
import { MarkedText } from './MarkedText';
import { polarityOf } from './Pairs';

const palette = paletteOf(['人物', '地理位置']);

function show(
  name: string,
  view?: ReturnType<typeof viewsOf>[number],
  change: (answer: Answer) => void = () => {},
) {
  const { task, input, answer: recorded } = fixture(name);
  const answer = structuredClone(recorded);
  change(answer);
  return renderPage(
    <AnswerView
      task={task}
      answer={answer}
      chains={answer.output}
      text={input.text}
      tree={input.tree}
      view={view ?? viewsOf(task, answer)[0] ?? 'marked'}
      threshold={null}
    />,
  );
}

const marks = (container: HTMLElement) =>
  [...container.querySelectorAll('mark')].map((m) => m.textContent);

describe('marked text', () => {
  it.each([
    '<img src=x onerror=alert(1)><script>alert(2)</script>',
    '😀周慧敏👩‍💻在武汉',
    'e\u0301a\u0300\u202eabc\u202c שלום',
    '&lt;b&gt; &amp; \u0000 \ufffd',
  ])('shows %j as text, whole', (text) => {
    const { container } = renderPage(
      <MarkedText
        text={text}
        spans={[{ start: 0, end: 2, label: '人物', confidence: 1, tag: '' }]}
        palette={palette}
      />,
    );
    const shown = container.querySelector('.marked')?.textContent ?? '';
    expect(shown).toBe(text);
    expect(container.querySelector('.marked img, .marked script')).toBeNull();
  });

  it('shows a hostile label as text', () => {
    const { container } = renderPage(
      <MarkedText
        text="abc"
        spans={[{ start: 0, end: 1, label: '<b onclick=x>', confidence: 1 }]}
        palette={palette}
      />,
    );
    expect(container.querySelector('.tag')?.textContent).toBe('<b onclick=x>');
    expect(container.querySelector('.tag b')).toBeNull();
  });

  it('marks the right letters behind emoji', () => {
    const { input, answer } = fixture('ner-2');
    const { container } = renderPage(
      <MarkedText text={input.text} spans={spansOf(answer.output, input.text)} palette={palette} />,
    );
    expect(marks(container)).toEqual(['周慧敏', '武汉', '李明', '深圳']);
  });

  it('tells label, confidence and place on hover, of all spans at that place', () => {
    const spans = [
      { start: 0, end: 6, label: '组织机构', confidence: 0.9 },
      { start: 0, end: 2, label: '地理位置', confidence: 0.8 },
    ];
    const { container } = renderPage(
      <MarkedText text="深圳银行总部" spans={spans} palette={palette} />,
    );
    expect(marks(container)).toEqual(['深圳', '银行总部']);
    fireEvent.mouseOver(container.querySelector('mark') as HTMLElement);
    const tip = container.querySelector('.tip')?.textContent ?? '';
    for (const part of [
      '组织机构',
      '深圳银行总部',
      '可信度 0.90',
      '0–6',
      '地理位置',
      '可信度 0.80',
    ])
      expect(tip).toContain(part);
    fireEvent.mouseLeave(container.querySelector('.marked') as HTMLElement);
    expect(container.querySelector('.tip')).toBeNull();
  });

  it('is walked through with the arrow keys', () => {
    const { container } = show('ner-0');
    const group = screen.getByRole('group');
    fireEvent.keyDown(group, { key: 'ArrowRight' });
    expect(container.querySelector('mark.lit')?.textContent).toBe('北大西洋议会');
    fireEvent.keyDown(group, { key: 'ArrowLeft' });
    expect(container.querySelector('mark.lit')?.textContent).toBe('欧洲');
    fireEvent.keyDown(group, { key: 'Escape' });
    expect(container.querySelector('mark.lit')).toBeNull();
  });
});

describe('the view of each task', () => {
  it.each(Object.keys(FIXTURES))('%s has something to look at in every view', (name) => {
    const { task, answer } = fixture(name);
    for (const view of viewsOf(task, answer)) {
      const { container, unmount } = show(name, view);
      expect(container.textContent).not.toBe('');
      unmount();
    }
  });

  it('events are cards with their roles', () => {
    show('event-0', 'cards');
    const card = screen.getByRole('article');
    expect(within(card).getByText('辞职')).toBeTruthy();
    expect(within(card).getByText('远航芯片有限公司')).toBeTruthy();
  });

  it('roles that the text does not fill are told', () => {
    show('event-1', 'cards');
    expect(screen.getByText(/文中未提到.*赛事名称/)).toBeTruthy();
  });

  it('classes are bars, the chosen one is ticked in words', () => {
    show('classification-0');
    expect(screen.getAllByRole('listitem')).toHaveLength(6);
    expect(screen.getByRole('img', { name: '选中' }).parentElement?.textContent).toContain('教育');
  });

  it('class trees tick the whole path', () => {
    show('hierarchical-0', 'tree');
    expect(screen.getAllByRole('img', { name: '选中' })).toHaveLength(2);
  });

  it('coreference is linked in the text and resolved', () => {
    const { container } = show('coref-0');
    expect([...container.querySelectorAll('.tag')].map((x) => x.textContent)).toEqual([
      '指代对象',
      '→ 张教授',
    ]);
    expect(screen.getByText('张教授发表了论文，张教授感到很高兴。')).toBeTruthy();
  });

  it('an unsure coreference is not drawn as a link', () => {
    const { container } = show('coref-0', undefined, ({ result }) => {
      for (const link of result.links ?? []) link.accepted = false;
    });
    expect([...container.querySelectorAll('.tag')].map((x) => x.textContent)).toEqual(['→ ?']);
    expect(screen.getByText('不确定')).toBeTruthy();
  });

  it('answers stand beside their questions, unanswered ones too', () => {
    show('reading-2', undefined, (answer) => {
      answer.output = answer.output.filter(([head]) => head?.type !== '青石渠位于哪里？');
      answer.result.unanswered = ['青石渠位于哪里？'];
    });
    expect(screen.getByText('文中没有找到答案')).toBeTruthy();
    expect(screen.getAllByText('1965年').length).toBeGreaterThan(0);
  });

  it('sentiment sums up', () => {
    show('sentiment-0');
    expect(screen.getByRole('img', { name: '负面 1' })).toBeTruthy();
  });

  it('a table sorts by its headings', () => {
    show('ner-0', 'table');
    const first = () => screen.getAllByRole('row')[1]?.textContent;
    fireEvent.click(screen.getByRole('button', { name: /可信度/ }));
    expect(first()).toContain('欧洲');
    fireEvent.click(screen.getByRole('button', { name: /位置/ }));
    expect(first()).toContain('北大西洋议会');
  });

  it('nothing found is said, with advice', () => {
    const { task, input, answer } = fixture('ner-0');
    const empty = { ...answer, output: [], result: { entities: [], by_label: {} } };
    renderPage(
      <AnswerView
        task={task}
        answer={empty}
        chains={[]}
        text={input.text}
        tree={input.tree}
        view="marked"
        threshold={null}
      />,
    );
    expect(screen.getByText(/没有找到符合的内容/)).toBeTruthy();
  });
});

it('reads the polarity from a label', () => {
  expect(polarityOf('正向情感(情感词)')).toBe('positive');
  expect(polarityOf('不满意')).toBe('negative');
  expect(polarityOf('中性情感')).toBe('neutral');
  expect(polarityOf('情感词')).toBeNull();
});
