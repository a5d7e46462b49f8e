import type { Content, Message, MessageField } from '../../../src/hosts/commands/message.ts'
import { protobuf } from '../../../src/hosts/commands/protobuf/protobuf.ts'
import { readMoment } from '../../../src/model/moment.ts'

/** Converts between the values of callers and the bytes of a command's messages. */
export function codecOf({ request, result }: { readonly request: Message; readonly result: Message }) {
  const write = protobuf.writer(request)
  const read = protobuf.reader(result)
  return {
    write: (content: Content): Buffer => write(withMoments(request, content)),
    read: (bytes: Buffer): Content => completed(result, read(bytes)),
  }
}

/** Moments may be given in any form the hosts read. */
function withMoments({ fields }: Message, content: Content): Content {
  const moments = fields.filter(({ name, shape }) => shape === 'moment' && typeof content[name] === 'string')
  return {
    ...content,
    ...Object.fromEntries(moments.map(({ name }) => [name, momentIn(name, content[name])])),
  }
}

function momentIn(name: string, given: unknown): string {
  const moment = readMoment(String(given))
  if (moment === undefined) throw new TypeError(`${name} must be an ISO-8601 date and time.`)
  return moment
}

/** Adds the fields that the sender left out because they are null or the zero of their type. */
const completed = ({ fields }: Message, content: Content): Content =>
  Object.fromEntries(fields.map((field) => [field.name, completedField(field, content[field.name])]))

function completedField({ shape, isRepeated, isOptional }: MessageField, value: unknown): unknown {
  const complete = (item: unknown) => (typeof shape === 'string' ? item : completed(shape, item as Content))
  if (isRepeated) return ((value ?? []) as unknown[]).map(complete)
  if (value !== undefined) return complete(value)
  return isOptional || typeof shape !== 'string' ? null : zeros[shape]
}

const zeros = {
  text: '',
  uuid: '',
  moment: null,
  number: 0,
  wholeNumber: 0,
  flag: false,
  values: null,
} as const
