import type { Command } from '../commands.ts'
import type { Message, MessageField } from '../message.ts'
import { hasMarkedPresence, messagesIn, snakeCase } from './descriptors.ts'
import { packageName } from './service.ts'

/** The same as text, for those who generate clients in other languages. */
export const protoFile = (commands: readonly Command[]): string =>
  `${[
    '// Derived from the declarations of the resources; a test compares. Version 1 changes by additions only.',
    'syntax = "proto3";',
    `package ${packageName};`,
    'import "google/protobuf/timestamp.proto";',
    serviceText(commands),
    ...messagesIn(commands).map(messageText),
  ].join('\n\n')}\n`

const serviceText = (commands: readonly Command[]): string =>
  block(
    'service Commands',
    commands.map(({ name, request, result }) => `rpc ${name}(${request.name}) returns (${result.name});`),
  )

const messageText = ({ name, fields, retired = {} }: Message): string =>
  block(`message ${name}`, [
    ...Object.entries(retired).flatMap(([number, field]) => [
      `reserved ${number};`,
      `reserved "${snakeCase(field)}";`,
    ]),
    ...fields.map(fieldText),
  ])

function fieldText(field: MessageField): string {
  const label = field.isRepeated ? 'repeated ' : hasMarkedPresence(field) ? 'optional ' : ''
  return `${label}${typeText(field)} ${snakeCase(field.name)} = ${field.number};`
}

const typeText = ({ shape }: MessageField): string =>
  typeof shape === 'string' ? typeTexts[shape] : shape.name

const typeTexts = {
  text: 'string',
  uuid: 'string',
  moment: 'google.protobuf.Timestamp',
  number: 'double',
  wholeNumber: 'int32',
  flag: 'bool',
} as const

const block = (head: string, lines: readonly string[]): string =>
  `${head} {\n${lines.map((line) => `  ${line}\n`).join('')}}`
