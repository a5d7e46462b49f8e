import type { WireKind } from '../../model/field.ts'
import type { Edition } from '../../resources/define-resource.ts'

/** `values` is an object with fields by name, as in JSON. */
export type Scalar = WireKind | 'boolean' | 'values'

/** A message of a command, in any encoding. */
export interface Message {
  readonly name: string
  /** Its comment in the .proto file. If absent, the comment is derived from the declaration of a resource. */
  readonly about?: string
  /** Set for a well-known message that is described in its own file. */
  readonly package?: 'google.protobuf'
  /** Ordered by their numbers. */
  readonly fields: readonly MessageField[]
  /**
   * Names that are not fields of the message. An encoding with named keys still reads them, so that the
   * operation can reject them.
   */
  readonly rejectedNames?: readonly string[]
  /** Numbers and names of former fields: neither is ever assigned again. */
  readonly retired?: Readonly<Record<number, string>>
}

export interface MessageField {
  /** camelCase, as in JSON. */
  readonly name: string
  readonly number: number
  readonly shape: Scalar | Message
  /** Its comment in the .proto file, as for a message. */
  readonly about?: string
  readonly isRepeated?: true
  /** True if it may be absent. A missing field without this flag has the zero value of its shape. */
  readonly isOptional?: true
  /** Its comment says how long it will work, and which field replaces it. */
  readonly isDeprecated?: true
  /** The .NET clients compute it themselves. */
  readonly isOmittedForDotnet?: true
  /** Its .NET property cannot be null, so the zero of its type also means that it was not set. */
  readonly isNeverNullForDotnet?: true
}

/** The content of a message in either direction: values as in JSON, timestamps as text. */
export type Content = Readonly<Record<string, unknown>>

export const isContent = (value: unknown): value is Content => typeof value === 'object' && value !== null

/**
 * Marks a value that no field can hold, such as the 13th month: the field's own parser then rejects it with
 * its own message.
 */
export const unreadable = Symbol('unreadable')

export interface Encoding {
  /** Throws `UnreadableMessageError` when the bytes are not of this encoding. */
  reader(message: Message): (bytes: Uint8Array) => Content
  writer(message: Message): (content: Content) => Buffer
}

export class UnreadableMessageError extends Error {
  constructor() {
    super('The message could not be read.')
    this.name = 'UnreadableMessageError'
  }
}

/** A timestamp as both encodings carry it: whole seconds since 1970, and the rest of the second. */
export interface TimestampParts {
  readonly seconds: number
  readonly nanoseconds: number
}

/**
 * Parses PostgreSQL's text, whose fraction has at most six digits; `Date.parse` would take ten times as long.
 */
export function parseTimestamp(timestamp: string): TimestampParts {
  const pair = (at: number) => 10 * digitAt(timestamp, at) + digitAt(timestamp, at + 1)
  const year = 100 * pair(0) + pair(2)
  // Computed four centuries later, because `Date.UTC` takes the year 99 for 1999.
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

// Every 400 years have the same number of days.
const fourCenturiesSeconds = 146_097 * 86_400

/**
 * Returns the timestamp as text, without digits beyond the microsecond, which the database would not store.
 */
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

/** The years 1 to 9999. */
const secondsMin = -62_135_596_800
const secondsMax = 253_402_300_799

interface Package {
  /** The name includes the version: a breaking contract would be served under another name in addition. */
  readonly name: string
  /** The .proto file, from which clients are generated. */
  readonly file: string
  /** Generators for Go require it; their flags can set another module. */
  readonly go: string
  readonly java: string
}

/** Everything beyond v1 has a package of its own, so that v1 does not change. */
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
