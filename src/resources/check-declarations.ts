import { commonFieldNumbers, deprecationProblems, type Field, updateMaskNumber } from '../model/field.ts'
import { type Filter, idFilterNumberOf, type Resource } from './define-resource.ts'

/** Throws one error that lists every mistake in the declarations. */
export function checkDeclarations(resources: readonly Resource[]): void {
  const problems = declarationProblems(resources)
  if (problems.length > 0) throw new Error(['Declarations that cannot work:', ...problems].join('\n  '))
}

/** Lists the mistakes in the declarations, one sentence each, naming the resource and the field. */
export const declarationProblems = (resources: readonly Resource[]): string[] => [
  ...duplicateNameProblems(resources),
  ...resources.flatMap((resource) => [
    ...nameProblems(resource),
    ...Object.entries(resource.fields).flatMap(([name, field]) => [
      ...numberProblems(resource, name, field),
      ...referenceProblems(resources, resource, name, field),
      ...hookProblems(resource, name, field),
      ...(field.deprecation
        ? deprecationProblems(`${resource.name}.${name}`, field.deprecation, resource.edition)
        : []),
    ]),
    ...cascadeProblems(resource),
    ...resource.filters.flatMap((filter, index) => filterProblems(resource, filter, index)),
    ...accessProblems(resources, resource),
    ...ruleProblems(resources, resource),
  ]),
]

function duplicateNameProblems(resources: readonly Resource[]): string[] {
  return resources.flatMap((resource, index) =>
    (['name', 'plural', 'table'] as const).flatMap((key) => {
      const other = resources.slice(0, index).find((earlier) => earlier[key] === resource[key])
      return other ? [`${resource.name}: the ${key} ${resource[key]} is already that of ${other.name}.`] : []
    }),
  )
}

const camelCase = /^[a-z][A-Za-z0-9]*$/

/** Names that every record, request or message already uses. */
const reservedFieldNames: ReadonlySet<string> = new Set([
  ...Object.keys(commonFieldNumbers),
  ...['removedWith', 'ids', 'updateMask', 'pagination', 'result', 'success', 'message'],
])

function nameProblems({ name, title, table, fields }: Resource): string[] {
  const problems: string[] = []
  if (!camelCase.test(name)) problems.push(`${name}: the name of a resource must be in camelCase.`)
  if (/^(Pagination|.*(Page|Command|Result))$/.test(title))
    problems.push(
      `${name}: Pagination and names ending in Page, Command or Result are reserved for messages.`,
    )
  if (!/^[a-z][a-z_]*$/.test(table)) problems.push(`${name}: the table ${table} is not in snake_case.`)
  for (const field of Object.keys(fields)) {
    if (!camelCase.test(field)) problems.push(`${name}.${field}: the name of a field must be in camelCase.`)
    if (reservedFieldNames.has(field) || field === name)
      problems.push(`${name}.${field}: every record or message already has a property with this name.`)
  }
  return problems
}

/** The largest field number of protobuf, 2^29 - 1. */
const fieldNumberMax = 536_870_911
const isReservedByProtobuf = (number: number) => number >= 19_000 && number <= 19_999

function numberProblems({ name, fields, retired }: Resource, field: string, { number }: Field): string[] {
  const where = `${name}.${field}: the number ${number}`
  const common = Object.entries({ ...commonFieldNumbers, updateMask: updateMaskNumber }).find(
    ([, taken]) => taken === number,
  )
  const earlier = Object.keys(fields).slice(0, Object.keys(fields).indexOf(field))
  const other = earlier.find((earlierField) => fields[earlierField]?.number === number)
  const retiredName = retired[number]
  const isInRange = Number.isInteger(number) && number > 0 && number <= fieldNumberMax
  const problems: string[] = []
  if (!isInRange || isReservedByProtobuf(number)) problems.push(`${where} is not a valid field number.`)
  if (common) problems.push(`${where} belongs to ${common[0]} in every message.`)
  if (other !== undefined) problems.push(`${where} is already that of ${name}.${other}.`)
  if (retiredName !== undefined)
    problems.push(`${where} belonged to ${retiredName}, which is retired. Use a new one.`)
  if (Object.values(retired).includes(field))
    problems.push(`${name}.${field}: a retired field had this name with another number. Use a new name.`)
  return problems
}

function referenceProblems(
  resources: readonly Resource[],
  resource: Resource,
  field: string,
  { references, presence }: Field,
): string[] {
  if (!references) return []
  const where = `${resource.name}.${field}`
  const parent = resources.find(({ name }) => name === references.resource)
  if (!parent) return [`${where} refers to ${references.resource}, but no resource has that name.`]
  if (parent === resource)
    return presence === 'optional' && references.onRemove === 'keep'
      ? []
      : [`${where} refers to its own resource, so it must be optional and 'keep'.`]
  return [
    ...(resources.indexOf(parent) < resources.indexOf(resource)
      ? []
      : [
          `${where} refers to ${parent.name}, which must come before ${resource.name} in src/resources/all.ts.`,
        ]),
    ...(resource.edition === 'v1' && parent.edition === 'ext'
      ? [`${where} refers to ${parent.name}: v1 cannot depend on a resource that EXTENSIONS=off disables.`]
      : []),
    ...(resource.edition === 'ext' && parent.edition === 'v1' && references.onRemove === 'restrict'
      ? [`${where} would block v1 from removing ${parent.pluralNoun}: use cascade or keep.`]
      : []),
  ]
}

/** Some fields only make sense with a hook or another declaration. Without it they have no effect, or do harm. */
function hookProblems(
  { name, edition, hooks, withoutCreate }: Resource,
  field: string,
  declared: Field,
): string[] {
  const { isSecret, presence, isCallerDefault, isGenerated, references } = declared
  return [
    ...(isCallerDefault && (references?.resource !== 'user' || edition === 'v1')
      ? [`${name}.${field} is the caller by default, which only an ext reference to a user can be.`]
      : []),
    ...(isSecret && !hooks.prepare
      ? [`${name}.${field} is secret, but no hook "prepare" converts it for storage.`]
      : []),
    ...(presence === 'updateOnly' && !hooks.updateConditions
      ? [`${name}.${field} is read on update only, but no hook "updateConditions" uses it.`]
      : []),
    ...(presence === 'byServer' && !withoutCreate && !isGenerated
      ? [
          `${name}.${field} is set by the server, but the create operation of the declaration would not set it: use withoutCreate.`,
        ]
      : []),
  ]
}

/**
 * A removed row records the parent with which it was removed. Its restore can wait for one other parent, so
 * only two references may cascade.
 */
function cascadeProblems({ name, fields }: Resource): string[] {
  const columns = Object.keys(fields).filter((field) => fields[field]?.references?.onRemove === 'cascade')
  return columns.length <= 2 ? [] : [`${name}: at most two cascade references, not ${columns.join(', ')}.`]
}

function filterProblems(resource: Resource, filter: Filter, index: number): string[] {
  const { name, fields, filters, access } = resource
  if (typeof filter !== 'string') {
    const columns = 'instant' in filter ? [filter.instant] : filter.period
    const isRepeated = filters.slice(0, index).some((earlier) => typeof earlier !== 'string')
    return [
      ...columns.flatMap((column) =>
        fields[column]?.wire === 'timestamp' && fields[column].presence === 'required'
          ? []
          : [`${name}: the filter by dates needs a required timestamp, and ${column} is not one.`],
      ),
      ...(isRepeated ? [`${name}: two filters by dates cannot share dateFrom and dateTo.`] : []),
    ]
  }
  const isInPath = access.kind === 'projectMembers' && access.projectPath[1] === filter
  if (!fields[filter] && !isInPath) return [`${name}: the filter ${filter} has no column.`]
  const problems: string[] = []
  if (!isInPath && !fields[filter]?.references)
    problems.push(`${name}: the filter ${filter} is not a reference.`)
  if (filters.indexOf(filter) < index) problems.push(`${name}: the filter ${filter} is declared twice.`)
  if (idFilterNumberOf(filter) === undefined)
    problems.push(
      `${name}: the filter ${filter} has no number in src/resources/define-resource.ts; give it the next.`,
    )
  return problems
}

function accessProblems(resources: readonly Resource[], resource: Resource): string[] {
  const { access, name } = resource
  const ownerProblems = ownerColumnProblems(resource)
  if (access.kind !== 'projectMembers') return ownerProblems
  const { projectPath } = access
  return [
    ...(endOfPath(resources, resource, projectPath) === 'project'
      ? []
      : [`${name}: the access path ${projectPath.join(', ')} does not lead to a project.`]),
    ...ownerProblems,
  ]
}

/** Returns the name of the resource to which an access path leads. */
function endOfPath(
  resources: readonly Resource[],
  resource: Resource,
  [first, second]: readonly [first: string, second?: string],
): string | undefined {
  // The path of a project itself is its id.
  if (first === 'id') return resource.name
  const parentName = resource.fields[first]?.references?.resource
  if (second === undefined) return parentName
  return resources.find(({ name }) => name === parentName)?.fields[second]?.references?.resource
}

/** Rules lock the project of the row, or of the rows to which it refers. */
function ruleProblems(
  resources: readonly Resource[],
  { name, fields, access, projectRules }: Resource,
): string[] {
  if (!projectRules) return []
  const { rowsMax, sameProject } = projectRules
  const namesProject = (column: string) =>
    resources.find((target) => target.name === fields[column]?.references?.resource)?.fields.projectId
      ?.references?.resource === 'project'
  return [
    ...(access.kind === 'projectMembers'
      ? []
      : [`${name} has rules of a project, but its rows belong to none.`]),
    ...(fields[rowsMax.per]?.references
      ? []
      : [`${name}: the limit of rows per ${rowsMax.per} needs a reference.`]),
    ...(sameProject || fields.projectId?.references
      ? []
      : [`${name} has rules of a project that it does not name.`]),
    ...(sameProject ?? [])
      .filter((column) => !namesProject(column))
      .map((column) => `${name}.${column} does not refer to rows that name their project.`),
  ]
}

function ownerColumnProblems({ access, name, fields }: Resource): string[] {
  const owner = access.ownerColumn
  return owner && fields[owner]?.references?.resource !== 'user'
    ? [`${name}: the owner's column ${owner} does not refer to a user.`]
    : []
}
