import { resources } from '../../../resources/all.ts'
import type { Edition, Resource } from '../../../resources/define-resource.ts'
import { type Command, isStream } from '../commands.ts'
import type { Message, MessageField } from '../message.ts'
import { type Comments, commentsOf } from './comments.ts'
import { hasMarkedPresence, importsOf, messagesIn, snakeCase } from './descriptors.ts'
import { packages } from './service.ts'

/** The same as text, for those who generate clients in other languages. */
export function protoFile(
  edition: Edition,
  commands: readonly Command[],
  declared: readonly Resource[] = resources,
): string {
  const comments = commentsOf(declared)
  return `${[
    '// Derived from the declarations of the resources; a test compares. Version 1 changes by additions only.',
    'syntax = "proto3";',
    `package ${packages[edition].name};`,
    importsOf(commands)
      .map((path) => `import "${path}";`)
      .join('\n'),
    `option go_package = "${packages[edition].go}";\noption java_package = "${packages[edition].java}";`,
    serviceText(commands, comments),
    ...messagesIn(commands).map((message) => messageText(message, comments)),
  ].join('\n\n')}\n`
}

const serviceText = (commands: readonly Command[], comments: Comments): string =>
  block(
    '// The commands of all resources. Each wants a bearer token with the scope svc.grpc as its authorization.',
    'service Commands',
    commands.flatMap((command) => [
      `// ${comments.message(command.request)}`,
      `rpc ${command.name}(${command.request.name}) returns (${isStream(command) ? 'stream ' : ''}${command.result.name});`,
    ]),
  )

const messageText = (message: Message, comments: Comments): string =>
  block(`// ${comments.message(message)}`, `message ${message.name}`, [
    ...Object.entries(message.retired ?? {}).flatMap(([number, field]) => [
      `reserved ${number};`,
      `reserved "${snakeCase(field)}";`,
    ]),
    ...message.fields.flatMap((field) => [`// ${comments.field(message, field)}`, fieldText(field)]),
  ])

function fieldText(field: MessageField): string {
  const label = field.isRepeated ? 'repeated ' : hasMarkedPresence(field) ? 'optional ' : ''
  const options = field.isDeprecated ? ' [deprecated = true]' : ''
  return `${label}${typeText(field)} ${snakeCase(field.name)} = ${field.number}${options};`
}

function typeText({ shape }: MessageField): string {
  if (typeof shape === 'string') return typeTexts[shape]
  return shape.package ? `${shape.package}.${shape.name}` : shape.name
}

const typeTexts = {
  text: 'string',
  uuid: 'string',
  moment: 'google.protobuf.Timestamp',
  values: 'google.protobuf.Struct',
  number: 'double',
  wholeNumber: 'int32',
  flag: 'bool',
} as const

const block = (comment: string, head: string, lines: readonly string[]): string =>
  `${comment}\n${head} {\n${lines.map((line) => `  ${line}\n`).join('')}}`
