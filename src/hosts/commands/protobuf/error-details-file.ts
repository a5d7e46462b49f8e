import { create } from '@bufbuild/protobuf'
import {
  type FileDescriptorProto,
  FileDescriptorProtoSchema,
  FieldDescriptorProto_Label as Label,
  FieldDescriptorProto_Type as Type,
} from '@bufbuild/protobuf/wkt'

const packageName = 'google.rpc'

/** The one of Google's common error details that a rejected call carries: clients that use reflection print it. */
export const errorDetailsFile = (): FileDescriptorProto =>
  create(FileDescriptorProtoSchema, {
    name: 'google/rpc/error_details.proto',
    package: packageName,
    syntax: 'proto3',
    messageType: [
      {
        name: 'BadRequest',
        field: [
          {
            name: 'field_violations',
            jsonName: 'fieldViolations',
            number: 1,
            label: Label.REPEATED,
            type: Type.MESSAGE,
            typeName: `.${packageName}.BadRequest.FieldViolation`,
          },
        ],
        nestedType: [{ name: 'FieldViolation', field: [textField('field', 1), textField('description', 2)] }],
      },
    ],
  })

const textField = (name: string, number: number) => ({
  name,
  jsonName: name,
  number,
  label: Label.OPTIONAL,
  type: Type.STRING,
})
