import { create, type MessageInitShape } from '@bufbuild/protobuf'
import {
  type FieldDescriptorProtoSchema,
  type FileDescriptorProto,
  FileDescriptorProtoSchema,
  FieldDescriptorProto_Label as Label,
  FieldDescriptorProto_Type as Type,
} from '@bufbuild/protobuf/wkt'

const packageName = 'grpc.health.v1'

/**
 * gRPC's own description of its health service. The one that the library's loader makes has no syntax and wrong names
 * for nested types, so that strict clients refuse it together with everything else that reflection tells them.
 */
export const healthFile = (): FileDescriptorProto =>
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
