// Places for the nodes of a relation graph. The same graph always gets the same picture.
import {
  forceCollide,
  forceLink,
  forceManyBody,
  forceSimulation,
  forceX,
  forceY,
  type SimulationNodeDatum,
} from 'd3-force';
import type { GraphEdge, GraphNode } from '../tasks/answer';
import { shorten, widthOf } from './measure';

export interface Placed extends GraphNode, SimulationNodeDatum {
  x: number;
  y: number;
  width: number;
}

export const NODE_HEIGHT = 44;

export function placeGraph(nodes: readonly GraphNode[], edges: readonly GraphEdge[]): Placed[] {
  const placed: Placed[] = nodes.map((node, i) => {
    const angle = (i / nodes.length) * 2 * Math.PI;
    const width = Math.max(widthOf(shorten(node.text), 15), widthOf(shorten(node.label), 12)) + 30;
    return { ...node, width, x: Math.cos(angle) * 120, y: Math.sin(angle) * 90 };
  });
  const links = edges.map((edge) => ({ source: edge.from, target: edge.to }));
  forceSimulation(placed)
    .force(
      'link',
      forceLink<Placed, { source: string; target: string }>(links)
        .id((n) => n.id)
        .distance(
          (l) =>
            150 +
            ((l.source as unknown as Placed).width + (l.target as unknown as Placed).width) / 2,
        ),
    )
    .force('charge', forceManyBody().strength(-420))
    .force(
      'collide',
      forceCollide<Placed>((n) => n.width / 2 + 14),
    )
    .force('x', forceX(0).strength(0.04))
    .force('y', forceY(0).strength(0.1))
    .stop()
    .tick(placed.length > 150 ? 120 : 300);
  return placed;
}
