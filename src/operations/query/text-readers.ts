import { type Reading, refused } from '../../model/field.ts'
import { isLongerThan, isStorable, moment, uuid } from '../../model/field-kinds.ts'
import { filterTextCharactersMax } from '../limits.ts'
import type { Shape } from './filter.ts'

type TextReader = (text: string, label: string) => Reading<string>

/** Reads a value from its text, by the kind of column. Anything that the store would refuse is refused here. */
export const textReaders: Readonly<Record<Exclude<Shape, 'number'>, TextReader>> = {
  text(text, label) {
    if (!isStorable(text)) return refused(`${label} contains a character that cannot be stored.`)
    return isLongerThan(text, filterTextCharactersMax)
      ? refused(`${label} must be at most ${filterTextCharactersMax} characters.`)
      : { value: text }
  },
  uuid: (text, label) => uuid.read(text, label),
  moment: (text, label) => moment.read(text, label),
}
