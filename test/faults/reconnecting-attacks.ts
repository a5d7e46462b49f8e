import {
  callHeaders,
  endHeaders,
  endStream,
  frame,
  frameTypes,
  headerBlock,
  manyTimes,
  openCall,
  opening,
  preface,
  resetCall,
} from '../support/http2-frames.ts'

/** The bytes that are sent on each connection. */
export interface Attack {
  readonly first: Buffer
  /** Sent after it, repeatedly, until the host hangs up or `pieces` of it are sent and the attacker connects again. */
  readonly piece?: (index: number) => Buffer
  readonly pieces?: number
  /** Between two pieces; as fast as they are taken unless given. */
  readonly everyMilliseconds?: number
}

const block = headerBlock(callHeaders('/tracker.commands.v1.Commands/ListOrganizations'))
const withCall = Buffer.concat([opening, openCall(0, block)])

const hundredResets = Array.from({ length: 12 }, (_, turn) =>
  manyTimes(100, (index) =>
    Buffer.concat([openCall(100 * turn + index, block), resetCall(100 * turn + index)]),
  ),
)

function flood(each: Buffer, first = opening): Attack {
  const piece = manyTimes(1000, () => each)
  return { first, piece: () => piece, pieces: 1000 }
}

const slowly = (first: Buffer, piece: Buffer): Attack => ({
  first,
  piece: () => piece,
  pieces: Number.POSITIVE_INFINITY,
  everyMilliseconds: 1000,
})

/** Attacks on the port of commands without a token; each reconnects as soon as its connection has ended. */
export const commandAttacks = {
  'rapid reset': { first: opening, piece: (turn) => hundredResets[turn] ?? preface, pieces: 12 },
  'rapid reset in one piece': { first: Buffer.concat([opening, ...hundredResets]) },
  'calls without a token': {
    first: Buffer.concat([
      opening,
      manyTimes(100, (index) => openCall(index, block, endHeaders + endStream)),
    ]),
  },
  'connections that close': { first: Buffer.alloc(0) },
  'connections that say hello': { first: opening },
  'half a preface': slowly(preface.subarray(0, 12), Buffer.alloc(0)),
  'slow header blocks': slowly(
    Buffer.concat([opening, openCall(0, block, 0)]),
    frame(frameTypes.continuation, 0, 1, Buffer.from([0])),
  ),
  'empty continuations': flood(
    frame(frameTypes.continuation, 0, 1),
    Buffer.concat([opening, openCall(0, block, 0)]),
  ),
  'window updates': flood(frame(frameTypes.windowUpdate, 0, 0, Buffer.from([0, 0, 0, 1]))),
  pings: flood(frame(frameTypes.ping, 0, 0, Buffer.alloc(8))),
  settings: flood(frame(frameTypes.settings, 0, 0)),
  'empty data': flood(frame(frameTypes.data, 0, 1), withCall),
  'empty headers': flood(frame(frameTypes.headers, endHeaders, 1), withCall),
  priorities: flood(frame(frameTypes.priority, 0, 3, Buffer.from([0, 0, 0, 0, 1])), withCall),
} satisfies Readonly<Record<string, Attack>>

const request = Buffer.from('GET /api/projects HTTP/1.1\r\nHost: x\r\n\r\n')

/** The same on a port of HTTP/1.1. */
export const httpAttacks = {
  'connections that close': { first: Buffer.alloc(0) },
  'a request a connection': { first: request },
  'requests sent ahead': { first: manyTimes(500, () => request) },
  'slow heads': slowly(Buffer.from('GET / HTTP/1.1\r\nHost: x\r\nX-Slow: '), Buffer.from('x')),
} satisfies Readonly<Record<string, Attack>>

export const attacks: Readonly<Record<string, Attack>> = { ...httpAttacks, ...commandAttacks }
