import type { WireKind } from '../../model/field.ts'
import type { Edition } from '../../resources/define-resource.ts'

/** `values` counts as a scalar although it is an object: no message describes its named fields. */
export type Scalar = WireKind | 'boolean' | 'values'

/** A message of a command, in any encoding. */
export interface Message {
  readonly name: string
  /** The comment in the .proto file. By default it is derived from the declaration of the resource. */
  readonly about?: string
  /** Set for well-known types of Protocol Buffers, which are imported from their own .proto file. */
  readonly package?: 'google.protobuf'
  /** Ordered by their numbers. */
  readonly fields: readonly MessageField[]
  /**
   * Unsupported names. Encodings with named keys pass them on, so that the operation rejects them instead of
   * ignoring them.
   */
  readonly rejectedNames?: readonly string[]
  /** Numbers and names of former fields. They are never assigned again. */
  readonly retired?: Readonly<Record<number, string>>
}

export interface MessageField {
  /** The name in JSON, in camelCase. */
  readonly name: string
  readonly number: number
  readonly shape: Scalar | Message
  /** The comment in the .proto file. */
  readonly about?: string
  readonly isRepeated?: true
  /** True if the field may be absent. Other missing fields have the zero value of their shape. */
  readonly isOptional?: true
  /** The comment says how long the field will work and what replaces it. */
  readonly isDeprecated?: true
  /** The .NET clients compute the value themselves. */
  readonly isOmittedForDotnet?: true
  /** The .NET property cannot be null. If it was not set, it has its zero value. */
  readonly isNeverNullForDotnet?: true
}

/** The content of a message, with values as in JSON. */
export type Content = Readonly<Record<string, unknown>>

export const isContent = (value: unknown): value is Content => typeof value === 'object' && value !== null

/** Marks a value that no field can hold, such as the 13th month. The parser of the field rejects it. */
export const unreadable = Symbol('unreadable')

export interface Encoding {
  /** Throws `UnreadableMessageError` if the bytes cannot be read. */
  reader(message: Message): (bytes: Uint8Array) => Content
  writer(message: Message): (content: Content) => Buffer
}

export class UnreadableMessageError extends Error {
  constructor() {
    super('The message could not be read.')
    this.name = 'UnreadableMessageError'
  }
}

/** A timestamp in both encodings: whole seconds since 1970 and the rest of the second. */
export interface TimestampParts {
  readonly seconds: number
  readonly nanoseconds: number
}

/**
 * Parses a timestamp as our statements return it: `YYYY-MM-DDThh:mm:ss`, up to six digits after a point, and
 * `Z`. `Date.parse` takes ten times as long.
 */
export function parseTimestamp(timestamp: string): TimestampParts {
  const pair = (at: number) => 10 * digitAt(timestamp, at) + digitAt(timestamp, at + 1)
  const year = 100 * pair(0) + pair(2)
  // `Date.UTC` reads the year 99 as 1999, so the date is shifted by four centuries.
  const shiftedSeconds = Date.UTC(year + 400, pair(5) - 1, pair(8), pair(11), pair(14), pair(17)) / 1000
  return { seconds: shiftedSeconds - fourCenturiesSeconds, nanoseconds: parseNanoseconds(timestamp) }
}

const digitAt = (text: string, at: number): number => text.charCodeAt(at) - 0x30

function parseNanoseconds(timestamp: string): number {
  let nanoseconds = 0
  let unit = 100_000_000
  for (let at = 20; at < timestamp.length - 1; at++, unit /= 10) nanoseconds += unit * digitAt(timestamp, at)
  return nanoseconds
}

// All periods of 400 years have the same number of days.
const fourCenturiesSeconds = 146_097 * 86_400

/** Returns the timestamp as text. The database stores microseconds, so further digits are dropped. */
export function formatTimestamp({ seconds, nanoseconds }: TimestampParts): string | typeof unreadable {
  const isTimestamp =
    Number.isSafeInteger(seconds) &&
    seconds >= secondsMin &&
    seconds <= secondsMax &&
    nanoseconds >= 0 &&
    nanoseconds < 1e9
  if (!isTimestamp) return unreadable
  const whole = new Date(seconds * 1000).toISOString().slice(0, 19)
  const fraction = String(Math.floor(nanoseconds / 1000))
    .padStart(6, '0')
    .replace(/0+$/, '')
  return fraction === '' ? `${whole}Z` : `${whole}.${fraction}Z`
}

/** The first and last second of the years 1 to 9999. */
const secondsMin = -62_135_596_800
const secondsMax = 253_402_300_799

interface Package {
  /** The name includes the version. A breaking contract would get another name. */
  readonly name: string
  /** The .proto file. */
  readonly file: string
  /** Generators for Go require this option. */
  readonly go: string
  readonly java: string
}

/** Extensions have their own package, so that v1 does not change. */
export const packages: Readonly<Record<Edition, Package>> = {
  v1: {
    name: 'tracker.commands.v1',
    file: 'tracker/commands/v1/commands.proto',
    go: 'tracker/commands/v1;commandsv1',
    java: 'tracker.commands.v1',
  },
  ext: {
    name: 'tracker.ext.v1',
    file: 'tracker/ext/v1/commands.proto',
    go: 'tracker/ext/v1;extv1',
    java: 'tracker.ext.v1',
  },
}

export const serviceNameOf = (edition: Edition): string => `${packages[edition].name}.Commands`
