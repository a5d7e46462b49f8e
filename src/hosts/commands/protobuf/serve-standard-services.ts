import { toBinary } from '@bufbuild/protobuf'
import {
  type FileDescriptorProto,
  FileDescriptorProtoSchema,
  file_google_protobuf_field_mask,
  file_google_protobuf_struct,
  file_google_protobuf_timestamp,
} from '@bufbuild/protobuf/wkt'
import type { Server } from '@grpc/grpc-js'
import { ReflectionService } from '@grpc/reflection'
import { HealthImplementation } from 'grpc-health-check'
import type { Command } from '../commands.ts'
import { fileDescriptor } from './descriptors.ts'
import { errorDetailsFile } from './error-details-file.ts'
import { healthFile } from './health-file.ts'

export type ServingStatus = 'SERVING' | 'NOT_SERVING'

/** Returns how to say whether a service is served. */
export function serveStandardServices(
  server: Pick<Server, 'addService'>,
  commands: readonly Command[],
): (name: string, status: ServingStatus) => void {
  const imported = [
    file_google_protobuf_field_mask.proto,
    file_google_protobuf_struct.proto,
    file_google_protobuf_timestamp.proto,
  ]
  const editions = [...new Set(commands.map(({ edition }) => edition))]
  const own = editions.map((edition) =>
    fileDescriptor(
      edition,
      commands.filter((command) => command.edition === edition),
    ),
  )
  const files = [...own, ...imported, healthFile(), errorDetailsFile()]
  new ReflectionService({ all: describedBy(files) }).addToServer(server)
  const health = new HealthImplementation()
  health.addToServer(server)
  return (name, status) => health.setStatus(name, status)
}

/** Reflection looks at the files alone. */
const describedBy = (files: readonly FileDescriptorProto[]) => ({
  format: 'Protocol Buffer 3 DescriptorProto' as const,
  type: {},
  fileDescriptorProtos: files.map((file) => Buffer.from(toBinary(FileDescriptorProtoSchema, file))),
})
