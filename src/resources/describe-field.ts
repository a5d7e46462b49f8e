import { describeDeprecation } from '../model/deprecation.ts'
import type { Field } from '../model/field.ts'
import { resourceNamed } from './all.ts'

/** What a field holds, as a sentence for people, read off its declaration. */
export const describeField = (field: Field): string =>
  [field.about, contentOf(field), field.deprecation && describeDeprecation(field.deprecation)]
    .filter(Boolean)
    .join(' ')

function contentOf({ schema, references, about }: Field): string {
  if (references) return about ? 'By its id.' : `The ${resourceNamed(references.resource).noun}, by its id.`
  const { type, format, maxLength, minimum, maximum, description } = schema
  if (typeof description === 'string') return description
  if (format === 'uuid') return 'A UUID.'
  if (format === 'date-time') return 'A moment, in UTC.'
  if (format === 'password') return `A password of at most ${maxLength} characters.`
  if (type === 'integer') return `A whole number from ${minimum} to ${maximum}.`
  return `Text of at most ${maxLength} characters.`
}
