import { hash } from 'node:crypto'
import { type Position, writePosition } from '../../operations/feed/position.ts'

const hashCharacters = 22

/** Where a snapshot stands in the feed, and what it says: the first to go on from, the second to know it again. */
export const snapshotId = (position: Position, data: string): string =>
  `${writePosition(position)}~${hash('sha256', data, 'base64url').slice(0, hashCharacters)}`

export function isSameSnapshot(held: unknown, id: string | undefined): boolean {
  if (typeof held !== 'string' || id === undefined) return false
  const said = (text: string) => text.split('~')[1]
  return said(held) !== undefined && said(held) === said(id)
}
