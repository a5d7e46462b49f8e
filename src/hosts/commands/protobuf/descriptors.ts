import { create, type MessageInitShape } from '@bufbuild/protobuf'
import {
  type FieldDescriptorProto,
  type FieldDescriptorProtoSchema,
  type FileDescriptorProto,
  FileDescriptorProtoSchema,
  FieldDescriptorProto_Label as Label,
  FieldDescriptorProto_Type as Type,
} from '@bufbuild/protobuf/wkt'
import type { Edition } from '../../../resources/define-resource.ts'
import { type Command, isStream } from '../commands.ts'
import { type Message, type MessageField, packages, type Scalar } from '../message.ts'

/** Describes the commands of an edition, exactly as a compiler of .proto files would. */
export const fileDescriptor = (edition: Edition, commands: readonly Command[]): FileDescriptorProto =>
  create(FileDescriptorProtoSchema, {
    name: packages[edition].file,
    package: packages[edition].name,
    syntax: 'proto3',
    dependency: importsOf(commands),
    options: { goPackage: packages[edition].go, javaPackage: packages[edition].java },
    messageType: messagesIn(commands).map((message) => {
      const optionals = message.fields.filter(hasMarkedPresence)
      return {
        name: message.name,
        field: message.fields.map((field) => fieldDescriptor(edition, field, optionals.indexOf(field))),
        // The format requires a oneof for each optional scalar, with a name that begins with an underscore.
        oneofDecl: optionals.map(({ name }) => ({ name: `_${snakeCase(name)}` })),
        reservedRange: Object.keys(message.retired ?? {}).map((number) => ({
          start: Number(number),
          end: Number(number) + 1,
        })),
        reservedName: Object.values(message.retired ?? {}).map(snakeCase),
      }
    }),
    service: [
      {
        name: 'Commands',
        method: commands.map((command) => ({
          name: command.name,
          inputType: typeNameOf(edition, command.request),
          outputType: typeNameOf(edition, command.result),
          ...(isStream(command) && { serverStreaming: true }),
        })),
      },
    ],
  })

/** Returns the imported files of a service. Compilers warn of unused imports. */
export function importsOf(commands: readonly Pick<Command, 'request' | 'result'>[]): string[] {
  const shapes = messagesIn(commands).flatMap(({ fields }) => fields.map(({ shape }) => shape))
  const hasMask = shapes.some((shape) => typeof shape !== 'string' && shape.name === 'FieldMask')
  return [
    ...(hasMask ? ['google/protobuf/field_mask.proto'] : []),
    ...(shapes.includes('values') ? ['google/protobuf/struct.proto'] : []),
    ...(shapes.includes('timestamp') ? ['google/protobuf/timestamp.proto'] : []),
  ]
}

/** Returns each message once, after the messages of its fields. */
export function messagesIn(commands: readonly Pick<Command, 'request' | 'result'>[]): Message[] {
  const messages = new Map<string, Message>()
  const add = (message: Message) => {
    if (message.package) return
    for (const { shape } of message.fields) if (typeof shape !== 'string') add(shape)
    messages.set(message.name, message)
  }
  for (const { request, result } of commands) {
    add(request)
    add(result)
  }
  return [...messages.values()]
}

/** The shapes for which protobuf has a message. */
const wellKnownTypes: Readonly<Record<string, string>> = {
  timestamp: 'google.protobuf.Timestamp',
  values: 'google.protobuf.Struct',
}

/** Messages, including timestamps, can be absent without a marker. */
export const hasMarkedPresence = ({ shape, isOptional }: MessageField): boolean =>
  isOptional === true && typeof shape === 'string' && !(shape in wellKnownTypes)

export const snakeCase = (name: string): string =>
  name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)

const scalarTypes = {
  text: Type.STRING,
  uuid: Type.STRING,
  number: Type.DOUBLE,
  integer: Type.INT32,
  boolean: Type.BOOL,
} as const

const isScalarType = (shape: Scalar): shape is keyof typeof scalarTypes => shape in scalarTypes

const typeNameOf = (edition: Edition, message: Message): string =>
  `.${message.package ?? packages[edition].name}.${message.name}`

function fieldDescriptor(
  edition: Edition,
  field: MessageField,
  optionalIndex: number,
): MessageInitShape<typeof FieldDescriptorProtoSchema> {
  const { name, number, isRepeated } = field
  return {
    name: snakeCase(name),
    jsonName: name,
    number,
    label: isRepeated ? Label.REPEATED : Label.OPTIONAL,
    ...typeOf(edition, field),
    ...(field.isDeprecated && { options: { deprecated: true } }),
    ...(optionalIndex >= 0 && { proto3Optional: true, oneofIndex: optionalIndex }),
  }
}

function typeOf(
  edition: Edition,
  { shape }: MessageField,
): Partial<Pick<FieldDescriptorProto, 'type' | 'typeName'>> {
  if (typeof shape !== 'string') return { type: Type.MESSAGE, typeName: typeNameOf(edition, shape) }
  if (isScalarType(shape)) return { type: scalarTypes[shape] }
  return { type: Type.MESSAGE, typeName: `.${wellKnownTypes[shape]}` }
}
