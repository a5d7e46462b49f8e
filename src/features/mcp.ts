import type { CallToolResult, Server, Tool as ToolDefinition } from '@modelcontextprotocol/server'
import type { FastifyRequest } from 'fastify'
import type { Parameter, Schema } from '../http/openapi.ts'
import type { Caller } from '../model/caller.ts'
import { collectViolations } from '../model/problem.ts'
import { parseBoolean, parseNames } from '../records/list-query.ts'
import { isAccountResource, isCovered, type Purpose } from '../records/rights.ts'
import { resourceNames, resources } from '../resources/all.ts'
import { appointment } from '../resources/assignment-records.ts'
import type { Resource } from '../resources/define-resource.ts'
import { person } from '../resources/user.ts'
import type { Exchange, Route } from '../routes/route.ts'
import { ref, someText } from '../routes/schemas.ts'

const textList = (description: string): Schema => ({ type: 'array', items: { type: 'string' }, description })

const path = '/ext/mcp'
const metadataPath = `/.well-known/oauth-protected-resource${path}`
const scope = 'svc.api'

interface McpOptions {
  readonly tools: ReadonlyMap<string, Tool>
  readonly issuer: string
}

export const mcpSchemas: Readonly<Record<string, Schema>> = {
  ModelMessage: { type: 'object', description: 'One message of JSON-RPC 2.0.' },
  ModelAnswer: {
    type: 'object',
    description: 'The answer of JSON-RPC 2.0; for older clients an event stream that ends with it.',
  },
  ProtectedResource: {
    type: 'object',
    description: 'The metadata of RFC 9728.',
    required: [
      'resource',
      'authorization_servers',
      'scopes_supported',
      'bearer_methods_supported',
      'resource_name',
    ],
    properties: {
      resource: { type: 'string', description: 'The address that tokens are for.' },
      authorization_servers: textList('The providers that issue tokens for it.'),
      scopes_supported: textList('The scopes to request.'),
      bearer_methods_supported: textList('The ways to send a token.'),
      resource_name: { type: 'string', description: 'Its name.' },
    },
  },
}

/** Serves the Model Context Protocol, with which language models find routes as tools and call them. */
export const mcpRoutes = ({ tools, issuer }: McpOptions): readonly Route[] => [
  {
    id: 'CallModelContextProtocol',
    tag,
    summary:
      'Serves the Model Context Protocol over HTTP: lists the tools that the token allows, and calls them.',
    description:
      'A tool is a route of this host, with its parameters or its body as arguments. A call is a request to that route with the same token, and counts as one. Each request is complete in itself: there are no sessions and no events.',
    method: 'POST',
    path,
    parameters: toolParameters,
    body: ref('ModelMessage'),
    response: ref('ModelAnswer'),
    errors: [400, 403],
    acceptsPersonalAccessTokens: true,
    withoutIdempotencyKey: true,
    challenge: (request) =>
      `Bearer resource_metadata="${originOf(request)}${metadataPath}", scope="${scope}"`,
    async handle(exchange) {
      const { caller, request } = exchange
      const query = request.query as Readonly<Record<string, unknown>>
      await handleMessage(exchange, selectTools(tools, caller, query))
      return undefined
    },
  },
  {
    id: 'ReadProtectedResource',
    tag,
    summary: 'Names the provider that issues tokens for the Model Context Protocol (RFC 9728).',
    description:
      'A request without a token is answered with a WWW-Authenticate header that has this address.',
    method: 'GET',
    path: metadataPath,
    response: ref('ProtectedResource'),
    errors: [400],
    isPublic: true,
    async handle({ request }) {
      return {
        body: {
          resource: `${originOf(request)}${path}`,
          authorization_servers: [issuer],
          scopes_supported: [scope],
          bearer_methods_supported: ['header'],
          resource_name: 'Tracker',
        },
      }
    },
  },
]

const tag = 'Models'

/**
 * The origin that the client used. The client compares the metadata with it, so a forged Host header misleads
 * only its sender.
 */
const originOf = ({ protocol, host }: FastifyRequest): string => `${protocol}://${host}`

async function handleMessage(exchange: Exchange, tools: ReadonlyMap<string, Tool>): Promise<void> {
  const { request, reply } = exchange
  // The library is loaded for the first client only, because most instances have none.
  const { createMcpHandler, Server } = await import('@modelcontextprotocol/server')
  const handler = createMcpHandler(
    () => registerTools(new Server(identity, { capabilities: { tools: {} }, instructions }), exchange, tools),
    // The server sends no notifications, so a subscription would only hold a connection.
    { maxSubscriptions: 0 },
  )
  const headers = Object.entries(request.headers).filter(([name]) =>
    /^(accept|content-type|mcp-.*)$/.test(name),
  )
  // The library reads only the headers of this request. A Host header need not form a valid URL, so a
  // fixed URL is used.
  const message = new Request(`http://localhost${path}`, {
    method: 'POST',
    headers: headers.map(([name, value]): [string, string] => [name, String(value)]),
  })
  const response = await handler.fetch(message, { parsedBody: request.body })
  reply
    .code(response.status)
    .header('cache-control', 'no-store')
    .type(response.headers.get('content-type') ?? 'application/json')
    .send(Buffer.from(await response.arrayBuffer()))
}

const identity = { name: 'tracker', title: 'Tracker', version: '1' }

const instructions = `Organizations have projects; projects have assignments, which are in a stage (workflow), have a type and a responsible user; appointments are booked hours.
Rows refer to each other by id: find ids with the query tools before you write. get_own_account tells who you are.
A filter is made of comparisons, such as: userId eq me and endDate lt '2026-12-01' and not name contains 'draft'. Operators: eq, ne, lt, le, gt, ge, in, contains, startsWith. Texts, ids and dates are in single quotes; names are case-sensitive.
Choose fields, and expand references (expand=project, fields=name,project.name), to keep answers short. Pages have 10 rows unless pageSize says otherwise; cursor continues.`

function registerTools(server: Server, exchange: Exchange, tools: ReadonlyMap<string, Tool>): Server {
  server.setRequestHandler('tools/list', async () => ({
    tools: [...tools.values()].map(({ definition }) => definition),
  }))
  server.setRequestHandler('tools/call', async ({ params: { name, arguments: toolArguments = {} } }) => {
    const tool = tools.get(name)
    if (!tool) return failure(`There is no tool ${name.slice(0, 100)} for this token.`)
    return callRoute(exchange, tool.route, toolArguments)
  })
  return server
}

const failure = (text: string): CallToolResult => ({ isError: true, content: [{ type: 'text', text }] })

/** Sends a request to this host, so that it has the limits, checks, errors and log of the route. */
async function callRoute(
  { request }: Exchange,
  { method, path, body: bodySchema }: Route,
  toolArguments: Readonly<Record<string, unknown>>,
): Promise<CallToolResult> {
  const { authorization, 'x-forwarded-for': forwardedFor } = request.headers
  const { statusCode, body } = await request.server.inject({
    method,
    url: bodySchema ? path : `${path}?${queryOf(toolArguments)}`,
    ...(bodySchema && { payload: toolArguments }),
    remoteAddress: request.socket.remoteAddress ?? '',
    headers: {
      host: request.headers.host,
      authorization,
      ...(forwardedFor !== undefined && { 'x-forwarded-for': forwardedFor }),
      'x-request-id': request.id,
    },
  })
  return statusCode < 400 ? { content: [{ type: 'text', text: body }] } : failure(body)
}

function queryOf(toolArguments: Readonly<Record<string, unknown>>): URLSearchParams {
  const entries = Object.entries(toolArguments).filter(([, value]) => value !== undefined && value !== null)
  return new URLSearchParams(entries.map(([name, value]) => [name, String(value)]))
}

/** A route that models call by name, with its parameters or its body as arguments. */
interface Tool {
  readonly route: Route
  readonly definition: ToolDefinition
  /** The resource that the tool reads or changes. Absent if there are several. */
  readonly resource?: string
  /** Returns whether the token of a caller allows the tool at all. The route checks every row. */
  isFor(caller: Caller): boolean
}

/**
 * Returns the tools: the queries and writes of the resources, and some other routes. If a route of v1 and a
 * route of the extensions share an id, the later one in `routes` counts: it has the fields of extensions.
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

/**
 * A client can ask for fewer tools with these parameters, because the descriptions of all of them take much
 * of a model's context.
 */
const toolParameters: readonly Parameter[] = [
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

/** Returns the tools that the caller's token allows and the parameters of the request select. */
function selectTools(
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
      // Operations with these names add rows. All other writes replace or remove something.
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
