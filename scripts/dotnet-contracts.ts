import type { Command } from '../src/hosts/commands/commands.ts'
import type { Message, MessageField } from '../src/hosts/commands/message.ts'
import { messagesIn } from '../src/hosts/commands/protobuf/descriptors.ts'
import { type Comments, commentsOf } from '../src/hosts/commands/protobuf/proto-file.ts'
import { capitalize } from '../src/model/field.ts'
import { resources } from '../src/resources/all.ts'
import type { Resource } from '../src/resources/define-resource.ts'
import { allForms } from '../src/resources/derived.ts'

/** Returns C# classes for FastEndpoints' remote messaging, whose paths come from names and namespaces. */
export function dotnetContracts(
  commands: readonly Command[],
  declared: readonly Resource[] = resources,
): string {
  const comments = commentsOf(declared)
  const topLevelNames = new Set(commands.flatMap(({ request, result }) => [request.name, result.name]))
  const shared = messagesIn(commands).filter(({ name }) => !topLevelNames.has(name))
  const entities = [...new Set(commands.map(({ entity }) => entity))]
  return `${[
    '// Generated from the declarations of the resources by npm run contract; do not edit.',
    '#nullable enable',
    'using FastEndpoints;',
    namespaceText(recordsNamespace, [
      ...shared.map((message) => classText(message, comments, 'response')),
      maskText,
    ]),
    ...entities.map((entity) =>
      namespaceText(
        `${commandsNamespace}.${entity}`,
        commands
          .filter((command) => command.entity === entity)
          .flatMap((command) => commandText(command, comments)),
      ),
    ),
  ].join('\n\n')}\n`
}

const commandsNamespace = 'GrpcServer.Contracts.Commands'
/** A separate namespace, because a class Project and a namespace Project would hide each other. */
const recordsNamespace = 'GrpcServer.Contracts.Records'

const namespaceText = (name: string, classes: readonly string[]): string =>
  `namespace ${name}\n{\n${classes.map((text) => text.replace(/^(?=.)/gm, '    ')).join('\n\n')}\n}`

const commandText = ({ request, result }: Command, comments: Comments): string[] => [
  classText(request, comments, 'request', ` : ICommand<${result.name}>`),
  classText(result, comments, 'response'),
]

/** A client may leave out fields of a request; a host sends all fields of a response. */
type Direction = 'request' | 'response'

function classText(message: Message, comments: Comments, direction: Direction, base = ''): string {
  const fields = message.fields.filter(({ isOmittedForDotnet }) => !isOmittedForDotnet)
  const properties = fields.map((field) => {
    const about = comments.field(message, field).replaceAll('update_mask', 'UpdateMask')
    const obsolete = field.isDeprecated ? '    [System.Obsolete]\n' : ''
    return `    ${summary(about)}\n${obsolete}    public ${propertyText(message, field, direction)}`
  })
  const head = `${summary(comments.message(message))}\npublic sealed class ${classNameOf(message)}${base}`
  return `${head}\n{\n${properties.join('\n\n')}\n}`
}

const maskText = `/// <summary>Which optional fields an update means, by their names.</summary>
public sealed class FieldMask
{
    /// <summary>Names of fields.</summary>
    public List<string> Paths { get; set; } = new();
}`

const summary = (text: string): string =>
  `/// <summary>${text.replaceAll('&', '&amp;').replaceAll('<', '&lt;')}</summary>`

const typeNames = new Set(allForms().map(({ typeName }) => typeName))
const classNameOf = ({ name }: Message): string => (typeNames.has(name) ? `${name}Record` : name)

function propertyText(message: Message, field: MessageField, direction: Direction): string {
  const name = capitalize(field.name)
  const type = typeOf(field)
  if (field.isRepeated) return `List<${type}> ${name} { get; set; } = new();`
  if (message.name === 'Pagination' && field.shape === 'integer') {
    return `int ${name} { get; set; } = ${field.name === 'pageNumber' ? 1 : 10};`
  }
  return `${type}${isNullable(field, direction) ? '?' : ''} ${name} { get; set; }${isText(field) && !isNullable(field, direction) ? ' = "";' : ''}`
}

const isText = ({ shape }: MessageField): boolean => shape === 'text'

/** Optional texts and timestamps are nullable even if they are never null, because existing clients rely on it. */
function isNullable(
  { shape, isOptional, isNeverNullForDotnet }: MessageField,
  direction: Direction,
): boolean {
  if (isOptional !== true) return false
  return direction === 'response' || !isNeverNullForDotnet || shape === 'text' || shape === 'timestamp'
}

function typeOf({ shape }: MessageField): string {
  if (typeof shape === 'string') return types[shape]
  return `${recordsNamespace}.${classNameOf(shape)}`
}

const types = {
  text: 'string',
  uuid: 'Guid',
  timestamp: 'DateTime',
  number: 'double',
  integer: 'int',
  boolean: 'bool',
  values: 'Dictionary<string, object?>',
} as const
