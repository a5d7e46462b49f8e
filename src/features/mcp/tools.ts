import type { Tool as ToolDefinition } from '@modelcontextprotocol/server'
import type { Parameter, Schema } from '../../http/operation.ts'
import type { Caller } from '../../model/caller.ts'
import { collectViolations } from '../../model/problem.ts'
import { parseBoolean, parseNames } from '../../records/query-values.ts'
import { isAccountResource, isCovered, type Purpose } from '../../records/rights.ts'
import { resourceNames, resources } from '../../resources/all.ts'
import { appointment } from '../../resources/appointment.ts'
import type { Resource } from '../../resources/define-resource.ts'
import { person } from '../../resources/user.ts'
import type { Route } from '../../routes/route.ts'
import { someText } from '../../routes/schemas.ts'

/** A route that programs call by name, with its parameters or its body as arguments. */
export interface Tool {
  readonly route: Route
  readonly definition: ToolDefinition
  /** The resource that it reads or changes; absent if there are several. */
  readonly resource?: string
  /** Whether the token of a caller allows the tool at all. The route checks every row. */
  isFor(caller: Caller): boolean
}

/**
 * The tools that the declarations result in: a query and the writes of each resource, and routes that read several of them.
 * Routes of v1 and of extensions can share an id. The later one in `routes` wins: it has the fields of extensions.
 */
export function toolsOf(
  routes: readonly Route[],
  schemas: Readonly<Record<string, Schema>>,
): ReadonlyMap<string, Tool> {
  const routesById = new Map(routes.map((route) => [route.id, route]))
  const tools = [...sharedTools, ...resources.flatMap(toolsOfResource)].flatMap(({ id, ...tool }) => {
    const route = routesById.get(id)
    return route ? [{ ...tool, route, definition: definitionOf(route, schemas) }] : []
  })
  return new Map(tools.map((tool) => [tool.definition.name, tool]))
}

/** The parameters by which a client is offered fewer tools: a model that reads all of them has less room for its work. */
export const toolParameters: readonly Parameter[] = [
  {
    name: 'resources',
    description:
      'Names of resources, separated by commas: only their tools, and those for several resources.',
    schema: { ...someText, examples: ['assignment,comment'] },
  },
  {
    name: 'readOnly',
    description: 'Only tools that read.',
    schema: { type: 'boolean', default: false },
  },
]

/** The tools for a caller, as far as the parameters of its request do not limit them. */
export function selectTools(
  tools: ReadonlyMap<string, Tool>,
  caller: Caller,
  query: Readonly<Record<string, unknown>>,
): ReadonlyMap<string, Tool> {
  const violations = collectViolations()
  const names = parseNames('resources', query.resources, resourceNames, violations)
  const isReadOnly = parseBoolean('readOnly', query.readOnly, violations)
  violations.throwIfAny()
  const isSelected = ({ resource, route, isFor }: Tool) =>
    isFor(caller) &&
    (names === undefined || resource === undefined || names.includes(resource)) &&
    (!isReadOnly || route.method === 'GET')
  return new Map([...tools].filter(([, tool]) => isSelected(tool)))
}

type NamedTool = Pick<Tool, 'isFor' | 'resource'> & { readonly id: string }

const sharedTools: readonly NamedTool[] = [
  { id: 'GetOwnAccount', isFor: () => true },
  { id: 'ListPeople', isFor: (caller) => isCovered(caller, person, 'read') },
  ...['ReportHours', 'ReportAssignments', 'ReadHistory'].map((id) => ({ id, isFor: () => true })),
  { id: 'GetTimer', isFor: (caller) => isCovered(caller, appointment, 'read') },
  ...['StartTimer', 'StopTimer', 'DiscardTimer'].map((id) => ({
    id,
    isFor: (caller: Caller) => isCovered(caller, appointment, 'write'),
  })),
]

function toolsOfResource(resource: Resource): readonly NamedTool[] {
  const { name, title, pluralTitle } = resource
  const covered = (purpose: Purpose) => (caller: Caller) => isCovered(caller, resource, purpose)
  return [
    { id: `Query${pluralTitle}`, resource: name, isFor: covered('read') },
    // A model that reads texts of strangers must not be able to change who can sign in.
    ...(isAccountResource(resource) ? [] : ['Create', 'Update', 'Remove', 'Restore']).map((action) => ({
      id: `${action}${title}`,
      resource: name,
      isFor: covered('write'),
    })),
  ]
}

function definitionOf(route: Route, schemas: Readonly<Record<string, Schema>>): ToolDefinition {
  const isRead = route.method === 'GET'
  return {
    name: toolName(route.id),
    description: `${route.summary} ${route.description}`,
    inputSchema: (route.body ? schemaOfBody(route, schemas) : schemaOfParameters(route)) as InputSchema,
    annotations: {
      readOnlyHint: isRead,
      destructiveHint: !isRead && !/^(Create|Restore|Start)/.test(route.id),
      openWorldHint: false,
    },
  }
}

type InputSchema = ToolDefinition['inputSchema']

/** `QueryAssignmentTypes` becomes `query_assignment_types`. */
const toolName = (id: string): string => id.replaceAll(/(?<!^)[A-Z]/g, (letter) => `_${letter}`).toLowerCase()

const schemaOfParameters = ({ parameters = [] }: Route): Schema => ({
  type: 'object',
  properties: Object.fromEntries(
    parameters.map(({ name, description, schema }) => [name, { ...schema, description }]),
  ),
  required: parameters.flatMap(({ name, required }) => (required ? [name] : [])),
})

function schemaOfBody({ id, body = {} }: Route, schemas: Readonly<Record<string, Schema>>): Schema {
  const schema = schemas[String(body.$ref).slice('#/components/schemas/'.length)]
  if (!schema) throw new Error(`${id} has no schema for the arguments of a tool.`)
  return schema
}
