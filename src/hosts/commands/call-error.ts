import { BinaryWriter, WireType } from '@bufbuild/protobuf/wire'
import { Metadata, type ServiceError, status } from '@grpc/grpc-js'
import { type FieldErrors, Problem } from '../../model/problem.ts'
import { OversizedMessage, UnreadableMessage } from './message.ts'
import { statuses } from './statuses.ts'

/** How a call ends that did not succeed. */
export type CallError = Pick<ServiceError, 'code' | 'details' | 'metadata'>

/** Undefined for anything nobody foresaw. */
export function callErrorOf(error: unknown): CallError | undefined {
  if (error instanceof UnreadableMessage) {
    return { code: status.INVALID_ARGUMENT, details: error.message, metadata: new Metadata() }
  }
  if (error instanceof OversizedMessage) {
    return { code: status.RESOURCE_EXHAUSTED, details: error.message, metadata: new Metadata() }
  }
  const code = error instanceof Problem ? statuses[error.kind] : 'failedResult'
  return error instanceof Problem && code !== 'failedResult' ? problemError(error, code) : undefined
}

export const unexpectedError = (): CallError => ({
  code: status.INTERNAL,
  details: 'An unexpected error occurred.',
  metadata: new Metadata(),
})

/** The first sentence stands in the status; all of them travel as google.rpc details. */
function problemError({ message, errors, retryAfterSeconds }: Problem, code: status): CallError {
  const details = Object.values(errors ?? {})[0]?.[0] ?? message
  const metadata = new Metadata()
  if (errors) metadata.set('grpc-status-details-bin', statusDetails(code, details, errors))
  if (code === status.RESOURCE_EXHAUSTED) {
    metadata.set('retry-after', String(retryAfterSeconds ?? retryAfterDefaultSeconds))
  }
  return { code, details, metadata }
}

// As on REST, for a refusal whose maker knows no time.
const retryAfterDefaultSeconds = 60

/** google.rpc.Status { code, message, details } with one google.rpc.BadRequest, keys as on REST. */
function statusDetails(code: status, message: string, errors: FieldErrors): Buffer {
  const writer = new BinaryWriter()
  writer.tag(1, WireType.Varint).int32(code)
  writer.tag(2, WireType.LengthDelimited).string(message)
  writer.tag(3, WireType.LengthDelimited).fork()
  writer.tag(1, WireType.LengthDelimited).string('type.googleapis.com/google.rpc.BadRequest')
  writer.tag(2, WireType.LengthDelimited).bytes(badRequest(errors))
  return Buffer.from(writer.join().finish())
}

/** google.rpc.BadRequest { field_violations: { field, description } }. */
function badRequest(errors: FieldErrors): Uint8Array {
  const writer = new BinaryWriter()
  const violations = Object.entries(errors).flatMap(([field, messages]) =>
    messages.map((description) => ({ field, description })),
  )
  for (const { field, description } of violations.slice(0, violationsMax)) {
    writer.tag(1, WireType.LengthDelimited).fork()
    writer.tag(1, WireType.LengthDelimited).string(field)
    writer.tag(2, WireType.LengthDelimited).string(description)
    writer.join()
  }
  return writer.finish()
}

/** Trailers are headers: common clients take 8 KB of them. No command of ours has as many fields. */
const violationsMax = 40
