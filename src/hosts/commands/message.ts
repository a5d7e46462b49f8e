import type { WireKind } from '../../model/field.ts'

/** `values` are fields by name, as JSON has them. */
export type Scalar = WireKind | 'flag' | 'values'

/** A message of a command, whichever encoding carries it. */
export interface Message {
  readonly name: string
  /** Its comment, where no declaration says it. */
  readonly about?: string
  /** Of a message that is not ours; it is described elsewhere. */
  readonly package?: 'google.protobuf'
  /** In the order of their numbers. */
  readonly fields: readonly MessageField[]
  /** Names that are no fields of it. A wire that names its keys still reads them, so that the code behind can reject them. */
  readonly rejected?: readonly string[]
  /** Numbers that fields had once, with their names: nothing gets one of either again. */
  readonly retired?: Readonly<Record<number, string>>
}

export interface MessageField {
  /** camelCase, as in JSON. */
  readonly name: string
  readonly number: number
  readonly shape: Scalar | Message
  /** Its comment, where no declaration says it. */
  readonly about?: string
  readonly isRepeated?: true
  /** May be absent. A field that may not is the zero of its shape when nobody wrote it. */
  readonly isOptional?: true
  /** Its comment says until when it works, and what to use instead. */
  readonly isDeprecated?: true
  /** The .NET clients work it out themselves. */
  readonly isLeftOutForDotnet?: true
  /** Its .NET property cannot be null, so the zero of its type also says that it was not given. */
  readonly isNeverNullForDotnet?: true
}

/** What is read from a message, and written to one: values as JSON has them, moments as text. */
export type Content = Readonly<Record<string, unknown>>

export const isContent = (value: unknown): value is Content => typeof value === 'object' && value !== null

/** Stands for what no field can hold, such as the 13th month: the code that reads the field refuses it in its own words. */
export const unreadable = Symbol('unreadable')

export interface Encoding {
  /** Throws `UnreadableMessage` when the bytes are not of this encoding. */
  reader(message: Message): (bytes: Uint8Array) => Content
  writer(message: Message): (content: Content) => Buffer
}

export class UnreadableMessage extends Error {
  constructor() {
    super('The message could not be read.')
    this.name = 'UnreadableMessage'
  }
}
