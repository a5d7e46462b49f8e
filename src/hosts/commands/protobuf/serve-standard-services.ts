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

export type ServingStatus = 'SERVING' | 'NOT_SERVING'

/** Adds reflection and health to the server. Returns a function that sets whether a service is served. */
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
  const ownFiles = editions.map((edition) =>
    fileDescriptor(
      edition,
      commands.filter((command) => command.edition === edition),
    ),
  )
  const files = [...ownFiles, ...imported, healthFile(), errorDetailsFile()]
  new ReflectionService({ all: packageDefinitionOf(files) }).addToServer(server)
  const health = new HealthImplementation()
  health.addToServer(server)
  return (name, status) => health.setStatus(name, status)
}

/** Reflection only reads the files. */
const packageDefinitionOf = (files: readonly FileDescriptorProto[]) => ({
  format: 'Protocol Buffer 3 DescriptorProto' as const,
  type: {},
  fileDescriptorProtos: files.map((file) => Buffer.from(toBinary(FileDescriptorProtoSchema, file))),
})

const healthPackage = 'grpc.health.v1'

/**
 * The description of the health service by gRPC. The description in the library has wrong names for nested
 * types, so strict clients reject it.
 */
const healthFile = (): FileDescriptorProto =>
  create(FileDescriptorProtoSchema, {
    name: 'grpc/health/v1/health.proto',
    package: healthPackage,
    syntax: 'proto3',
    messageType: [
      { name: 'HealthCheckRequest', field: [field('service', { type: Type.STRING })] },
      {
        name: 'HealthCheckResponse',
        field: [
          field('status', {
            type: Type.ENUM,
            typeName: `.${healthPackage}.HealthCheckResponse.ServingStatus`,
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
            typeName: `.${healthPackage}.HealthListResponse.StatusesEntry`,
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
                typeName: `.${healthPackage}.HealthCheckResponse`,
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
  inputType: `.${healthPackage}.${input}`,
  outputType: `.${healthPackage}.${output}`,
})

const errorPackage = 'google.rpc'

/** Describes the error details of rejected calls, so that clients that use reflection can print them. */
export const errorDetailsFile = (): FileDescriptorProto =>
  create(FileDescriptorProtoSchema, {
    name: 'google/rpc/error_details.proto',
    package: errorPackage,
    syntax: 'proto3',
    messageType: [
      {
        name: 'BadRequest',
        field: [
          field('field_violations', {
            jsonName: 'fieldViolations',
            label: Label.REPEATED,
            type: Type.MESSAGE,
            typeName: `.${errorPackage}.BadRequest.FieldViolation`,
          }),
        ],
        nestedType: [
          {
            name: 'FieldViolation',
            field: [field('field', text), field('description', { ...text, number: 2 })],
          },
        ],
      },
    ],
  })

const text = { type: Type.STRING } as const
