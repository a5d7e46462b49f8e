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
import { healthFile } from './health-file.ts'
import { serviceNameOf } from './service.ts'

export interface StandardServices {
  /** Load balancers stop sending calls here. */
  announceStop(): void
}

/** Reflection and health, as stock clients expect them, open to everybody: they say what the project's page says. */
export function addStandardServices(server: Server, commands: readonly Command[]): StandardServices {
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
  const files = [...own, ...imported, healthFile()]
  new ReflectionService({ all: describedBy(files) }).addToServer(server)
  const services = ['', ...editions.map(serviceNameOf)]
  const health = new HealthImplementation(Object.fromEntries(services.map((name) => [name, 'SERVING'])))
  health.addToServer(server)
  return {
    announceStop() {
      for (const name of services) health.setStatus(name, 'NOT_SERVING')
    },
  }
}

/** Reflection looks at the files alone. */
const describedBy = (files: readonly FileDescriptorProto[]) => ({
  format: 'Protocol Buffer 3 DescriptorProto' as const,
  type: {},
  fileDescriptorProtos: files.map((file) => Buffer.from(toBinary(FileDescriptorProtoSchema, file))),
})
