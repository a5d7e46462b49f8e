import { create, type MessageInitShape, toBinary } from '@bufbuild/protobuf'
import {
  type FieldDescriptorProtoSchema,
  type FileDescriptorProto,
  FileDescriptorProtoSchema,
  file_google_protobuf_field_mask,
  file_google_protobuf_struct,
  file_google_protobuf_timestamp,
  FieldDescriptorProto_Label as Label,
  FieldDescriptorProto_Type as Type,
} from '@bufbuild/protobuf/wkt'
import type { Server } from '@grpc/grpc-js'
import { ReflectionService } from '@grpc/reflection'
import { HealthImplementation } from 'grpc-health-check'
import type { Command } from '../commands.ts'
import { fileDescriptor } from './descriptors.ts'
import { errorDetailsFile } from './error-details-file.ts'

export type ServingStatus = 'SERVING' | 'NOT_SERVING'

/** Returns a function that sets whether a service is served. */
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

/** Reflection only reads the files. */
const describedBy = (files: readonly FileDescriptorProto[]) => ({
  format: 'Protocol Buffer 3 DescriptorProto' as const,
  type: {},
  fileDescriptorProtos: files.map((file) => Buffer.from(toBinary(FileDescriptorProtoSchema, file))),
})

const packageName = 'grpc.health.v1'

/**
 * gRPC's own description of its health service. The one from the library's loader has no syntax and wrong names for nested types,
 * so strict clients reject it together with all other descriptions.
 */
const healthFile = (): FileDescriptorProto =>
  create(FileDescriptorProtoSchema, {
    name: 'grpc/health/v1/health.proto',
    package: packageName,
    syntax: 'proto3',
    messageType: [
      { name: 'HealthCheckRequest', field: [field('service', { type: Type.STRING })] },
      {
        name: 'HealthCheckResponse',
        field: [
          field('status', {
            type: Type.ENUM,
            typeName: `.${packageName}.HealthCheckResponse.ServingStatus`,
          }),
        ],
        enumType: [
          {
            name: 'ServingStatus',
            value: ['UNKNOWN', 'SERVING', 'NOT_SERVING', 'SERVICE_UNKNOWN'].map((name, number) => ({
              name,
              number,
            })),
          },
        ],
      },
      { name: 'HealthListRequest' },
      {
        name: 'HealthListResponse',
        field: [
          field('statuses', {
            label: Label.REPEATED,
            type: Type.MESSAGE,
            typeName: `.${packageName}.HealthListResponse.StatusesEntry`,
          }),
        ],
        nestedType: [
          {
            name: 'StatusesEntry',
            field: [
              field('key', { type: Type.STRING }),
              field('value', {
                number: 2,
                type: Type.MESSAGE,
                typeName: `.${packageName}.HealthCheckResponse`,
              }),
            ],
            options: { mapEntry: true },
          },
        ],
      },
    ],
    service: [
      {
        name: 'Health',
        method: [
          method('Check', 'HealthCheckRequest', 'HealthCheckResponse'),
          method('List', 'HealthListRequest', 'HealthListResponse'),
          { ...method('Watch', 'HealthCheckRequest', 'HealthCheckResponse'), serverStreaming: true },
        ],
      },
    ],
  })

type FieldInit = MessageInitShape<typeof FieldDescriptorProtoSchema>

const field = (name: string, init: FieldInit): FieldInit => ({
  name,
  jsonName: name,
  number: 1,
  label: Label.OPTIONAL,
  ...init,
})

const method = (name: string, input: string, output: string) => ({
  name,
  inputType: `.${packageName}.${input}`,
  outputType: `.${packageName}.${output}`,
})
