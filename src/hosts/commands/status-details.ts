import type { FieldErrors } from '../../model/problem.ts'
import type { Message, MessageField } from './message.ts'
import { protobuf } from './protobuf/protobuf.ts'

/** The trailer with all errors, in the format of common clients. */
export const statusDetailsKey = 'grpc-status-details-bin'

export interface StatusDetails {
  readonly code: number
  readonly message: string
  readonly errors: FieldErrors
}

/** Writes a google.rpc.Status with a google.rpc.BadRequest. Its fields have the keys of REST. */
export function writeStatusDetails({ code, message, errors }: StatusDetails): Buffer {
  const violations = Object.entries(errors).flatMap(([field, messages]) =>
    messages.map((description) => ({ field, description })),
  )
  const fieldViolations = prefixWithin(
    violationBytesMax,
    violations,
    ({ field, description }) => Buffer.byteLength(field + description) + violationOverheadBytes,
  )
  return writeStatus({ code, message, details: [{ typeUrl: badRequestType, value: { fieldViolations } }] })
}

/** Returns the messages by field, or an empty object if another server has written other details. */
export function parseViolations(bytes: Uint8Array): FieldErrors {
  const { details = [] } = readStatus(bytes) as { details?: readonly Any[] }
  const errors: Record<string, string[]> = {}
  for (const { typeUrl, value } of details) {
    if (typeUrl !== badRequestType) continue
    for (const { field = '', description = '' } of value?.fieldViolations ?? []) {
      errors[field] = [...(errors[field] ?? []), description]
    }
  }
  return errors
}

export const joinMessages = (errors: FieldErrors): string =>
  prefixWithin(
    statusTextBytesMax,
    Object.values(errors).flat(),
    (sentence) => encodeURI(` ${sentence}`).length,
  ).join(' ')

/** Returns the longest prefix that fits into `bytesMax`. */
function prefixWithin<Item>(
  bytesMax: number,
  items: readonly Item[],
  bytesOf: (item: Item) => number,
): Item[] {
  let bytes = 0
  const end = items.findIndex((item) => {
    bytes += bytesOf(item)
    return bytes > bytesMax
  })
  return end < 0 ? [...items] : items.slice(0, end)
}

// Common clients accept 8 KB of trailers. They contain the messages twice, percent-encoded and in base64: 1.5
// + (1.5 + 2.5) * 4 / 3 = 6.8 KB. The longest list of errors takes a third of that.
const statusTextBytesMax = 1536
const violationBytesMax = 2560

/** The tags and lengths of one violation. */
const violationOverheadBytes = 10

const badRequestType = 'type.googleapis.com/google.rpc.BadRequest'

interface Any {
  readonly typeUrl?: string
  readonly value?: { readonly fieldViolations?: readonly { field?: string; description?: string }[] }
}

const field = (
  number: number,
  name: string,
  shape: MessageField['shape'],
  options?: Pick<MessageField, 'isRepeated'>,
): MessageField => ({ number, name, shape, ...options })

const message = (name: string, ...fields: readonly MessageField[]): Message => ({ name, fields })

const badRequest = message(
  'BadRequest',
  field(
    1,
    'fieldViolations',
    message('FieldViolation', field(1, 'field', 'text'), field(2, 'description', 'text')),
    { isRepeated: true },
  ),
)

// The bytes within an Any equal those of a nested message.
const any = message('Any', field(1, 'typeUrl', 'text'), field(2, 'value', badRequest))

const statusMessage = message(
  'Status',
  field(1, 'code', 'integer'),
  field(2, 'message', 'text'),
  field(3, 'details', any, { isRepeated: true }),
)

const writeStatus = protobuf.writer(statusMessage)
const readStatus = protobuf.reader(statusMessage)
