import type { Content, Message, MessageField } from '../../../src/hosts/commands/message.ts'
import { protobuf } from '../../../src/hosts/commands/protobuf/protobuf.ts'
import { parseTimestamp } from '../../../src/model/field-kinds.ts'

/** Returns functions that convert between the values of callers and the bytes of a command's messages. */
export function codecOf({ request, result }: { readonly request: Message; readonly result: Message }) {
  const write = protobuf.writer(request)
  const read = protobuf.reader(result)
  return {
    write: (content: Content): Buffer => write(withTimestamps(request, content)),
    read: (bytes: Buffer): Content => addDefaults(result, read(bytes)),
  }
}

/** Callers may write timestamps in any format that the hosts parse. */
function withTimestamps({ fields }: Message, content: Content): Content {
  const timestamps = fields.filter(
    ({ name, shape }) => shape === 'timestamp' && typeof content[name] === 'string',
  )
  return {
    ...content,
    ...Object.fromEntries(timestamps.map(({ name }) => [name, normalizeTimestamp(name, content[name])])),
  }
}

function normalizeTimestamp(name: string, value: unknown): string {
  const timestamp = parseTimestamp(String(value))
  if (timestamp === undefined) throw new TypeError(`${name} must be an ISO-8601 date and time.`)
  return timestamp
}

/** Adds the fields that the sender left out because they are null or the zero of their type. */
const addDefaults = ({ fields }: Message, content: Content): Content =>
  Object.fromEntries(fields.map((field) => [field.name, fieldWithDefault(field, content[field.name])]))

function fieldWithDefault({ shape, isRepeated, isOptional }: MessageField, value: unknown): unknown {
  const complete = (item: unknown) => (typeof shape === 'string' ? item : addDefaults(shape, item as Content))
  if (isRepeated) return ((value ?? []) as unknown[]).map(complete)
  if (value !== undefined) return complete(value)
  return isOptional || typeof shape !== 'string' ? null : defaults[shape]
}

const defaults = {
  text: '',
  uuid: '',
  timestamp: null,
  number: 0,
  integer: 0,
  boolean: false,
  values: null,
} as const
