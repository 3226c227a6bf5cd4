// The text with its spans: tinted, underlined once for each span, labels behind, scores on hover.
import {
  type CSSProperties,
  type KeyboardEvent,
  type MouseEvent,
  memo,
  useMemo,
  useRef,
  useState,
} from 'react';
import { formatConfidence, useWords } from '../i18n/i18n';
import { chunkText } from '../text/chunks';
import { indexText } from '../text/code-points';
import { cutSegments, type LayeredSpan, layerSpans, type Segment, type Span } from '../text/layers';
import type { Palette } from '../ui/colours';

const LAYER_HEIGHT = 4;
const MOST_LAYERS = 5;

function segmentStyle(segment: Segment, palette: Palette): CSSProperties {
  const inner = segment.spans.at(-1);
  if (!inner) return {};
  // One underline for each layer; a layer without a span here is drawn in the ground's colour, so
  // that the line below it keeps its height.
  const top = Math.min(MOST_LAYERS, Math.max(...segment.spans.map((s) => s.layer)) + 1);
  const lines: string[] = [];
  for (let layer = 0; layer < top; layer += 1) {
    const span = segment.spans.find((s) => s.layer === layer);
    const y = layer * LAYER_HEIGHT;
    lines.push(`0 ${y + 2}px 0 ${span ? palette(span.label) : 'var(--surface)'}`);
    lines.push(`0 ${y + LAYER_HEIGHT}px 0 var(--surface)`);
  }
  return { '--c': palette(inner.label), boxShadow: lines.join(',') } as CSSProperties;
}

const Block = memo(function Block(props: {
  text: string;
  start: number;
  end: number;
  spans: readonly LayeredSpan[];
  palette: Palette;
  active: number | null;
}) {
  const { text, start, end, spans, palette } = props;
  const segments = useMemo(() => cutSegments(spans, start, end), [spans, start, end]);
  return (
    <div className="marked-block">
      {segments.map((segment) => {
        const words = text.slice(segment.start, segment.end);
        if (segment.spans.length === 0) return <span key={segment.start}>{words}</span>;
        const lit = props.active !== null && segment.spans.some((s) => s.id === props.active);
        return (
          <span key={segment.start}>
            <mark
              data-spans={segment.spans.map((s) => s.id).join(' ')}
              className={lit ? 'lit' : undefined}
              style={segmentStyle(segment, palette)}
            >
              {words}
            </mark>
            {segment.ending.map((span) => (
              <span
                key={span.id}
                className="tag"
                style={{ '--c': palette(span.label) } as CSSProperties}
              >
                {span.tag ?? span.label}
              </span>
            ))}
          </span>
        );
      })}
    </div>
  );
});

export function MarkedText(props: { text: string; spans: readonly Span[]; palette: Palette }) {
  const t = useWords();
  const { text, palette } = props;
  const box = useRef<HTMLDivElement>(null);
  const layered = useMemo(() => layerSpans(props.spans, text.length), [props.spans, text]);
  const chunks = useMemo(() => {
    const all = chunkText(text);
    return all.map((chunk) => ({
      ...chunk,
      spans: layered.filter((s) => s.start < chunk.end && s.end > chunk.start),
    }));
  }, [text, layered]);
  const index = useMemo(() => indexText(text), [text]);
  const [tip, setTip] = useState<{ ids: number[]; x: number; y: number } | null>(null);
  const [active, setActive] = useState<number | null>(null);

  const showAt = (mark: HTMLElement, ids: number[]) => {
    const frame = box.current?.getBoundingClientRect();
    const place = mark.getClientRects()[0];
    if (!frame || !place) return;
    setTip({
      ids,
      x: Math.max(0, Math.min(place.left - frame.left, frame.width - 220)),
      y: place.bottom - frame.top + 10,
    });
  };
  const hover = (event: MouseEvent) => {
    const mark = (event.target as HTMLElement).closest<HTMLElement>('mark');
    if (!mark) return setTip(null);
    showAt(mark, (mark.dataset.spans ?? '').split(' ').map(Number));
  };
  const keys = (event: KeyboardEvent) => {
    if (event.key === 'Escape') {
      setTip(null);
      setActive(null);
      return;
    }
    const by = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
    if (!by || layered.length === 0) return;
    event.preventDefault();
    const next =
      active === null
        ? by > 0
          ? 0
          : layered.length - 1
        : (active + by + layered.length) % layered.length;
    setActive(next);
    const mark = box.current?.querySelector<HTMLElement>(`mark[data-spans~="${next}"]`);
    if (!mark) return;
    mark.scrollIntoView({ block: 'nearest' });
    showAt(mark, [next]);
  };

  return (
    <div className="marked-frame" ref={box}>
      <div
        className="marked"
        role="group"
        aria-label={t.result.markedLabel}
        // biome-ignore lint/a11y/noNoninteractiveTabindex: the arrow keys go from mark to mark
        tabIndex={0}
        onMouseOver={hover}
        onFocus={() => {}}
        onMouseLeave={() => setTip(null)}
        onBlur={() => {
          setTip(null);
          setActive(null);
        }}
        onKeyDown={keys}
      >
        {chunks.map((chunk) => (
          <Block
            key={chunk.start}
            text={text}
            start={chunk.start}
            end={chunk.end}
            spans={chunk.spans}
            palette={palette}
            active={chunk.spans.some((s) => s.id === active) ? active : null}
          />
        ))}
      </div>
      <div aria-live="polite" className="tip-live">
        {tip && (
          <div className="tip" style={{ left: tip.x, top: tip.y }}>
            {tip.ids.map((id) => {
              const span = layered[id];
              if (!span) return null;
              return (
                <div key={id}>
                  <i className="dot" style={{ background: palette(span.label) }} />
                  <b>{span.tag ?? span.label}</b>{' '}
                  <bdi>{text.slice(span.start, Math.min(span.end, span.start + 40))}</bdi>
                  <span className="fine">
                    {' '}
                    {span.confidence !== null &&
                      `${t.result.confidence} ${formatConfidence(span.confidence)} · `}
                    {index.toCodePoint(span.start)}–{index.toCodePoint(span.end)}
                  </span>
                </div>
              );
            })}
          </div>
        )}
      </div>
    </div>
  );
}
