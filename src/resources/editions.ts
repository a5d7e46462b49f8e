import type { Field } from '../model/field.ts'
import { resources } from './all.ts'
import { columnsOf, type Edition, type Resource } from './define-resource.ts'

/**
 * The resources of an edition, in the form that it shows. A v1 resource with fields of extensions has two forms of the same rows:
 * v1 shows it without these fields, the extensions show it with all of them.
 */
export const resourcesOf = (edition: Edition, all: readonly Resource[] = resources): readonly Resource[] =>
  edition === 'ext'
    ? all.filter(({ shownIn }) => shownIn === 'ext').map(formOfExtensions)
    : all.filter((resource) => resource.edition === 'v1').map(formOfContract)

/** Every resource in each of its forms. */
export const allForms = (all: readonly Resource[] = resources): readonly Resource[] => [
  ...resourcesOf('v1', all),
  ...resourcesOf('ext', all),
]

const formOfContract = formBy((resource) => {
  const { title, pluralTitle, columns } = resource
  const fields = Object.fromEntries(Object.entries(resource.fields).filter(([, field]) => !field.isExtension))
  return {
    ...resource,
    shownIn: 'v1',
    typeName: title,
    pluralTypeName: pluralTitle,
    fields,
    columns: columnsOf(fields),
    historyColumns: columns,
    filters: resource.filters.filter((filter) => typeof filter !== 'string' || filter in fields),
  }
})

/** An update has only the fields to change, so that a client can set one without knowing the others. */
export const formOfExtensions = formBy((resource) => ({
  ...resource,
  fields: Object.fromEntries(
    Object.entries(resource.fields).map(([name, field]) => [name, changeable(field)]),
  ),
}))

const changeable = (field: Field): Field =>
  field.presence === 'required' ? { ...field, presence: 'requiredOnCreate' } : field

/** Makes a form of resources that have two. It is the same object every time, because SQL is kept for each. */
function formBy(make: (resource: Resource) => Resource): (resource: Resource) => Resource {
  const forms = new WeakMap<Resource, Resource>()
  return (resource) => {
    if (resource.shownIn === resource.edition) return resource
    const form = forms.get(resource) ?? make(resource)
    forms.set(resource, form)
    return form
  }
}
