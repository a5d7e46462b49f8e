import { useId } from 'preact/hooks'
import { t } from '../../texts/text.ts'
import { keyOfName } from './items.ts'
import type { Names } from './matching.ts'

interface Choice {
  readonly id: string
  readonly name: string
}

interface MatchNamesProps {
  readonly title: string
  readonly names: readonly string[]
  readonly choices: readonly Choice[]
  readonly matched: Names
  /** The choice for rows that name none, and for names without a choice. */
  readonly fallback: { readonly label: string; readonly value: string; onChange(id: string): void }
  onChange(matched: Names): void
}

/** Chooses what each name of the file means in this project. */
export function MatchNames({ title, names, choices, matched, fallback, onChange }: MatchNamesProps) {
  const fallbackName = choices.find(({ id }) => id === fallback.value)?.name ?? ''
  return (
    <fieldset class="import-names">
      <legend>{title}</legend>
      <LabelledSelect
        label={fallback.label}
        value={fallback.value}
        choices={choices}
        onChange={fallback.onChange}
      />
      {names.map((name) => (
        <LabelledSelect
          key={keyOfName(name)}
          label={name}
          value={matched[keyOfName(name)] ?? ''}
          choices={[{ id: '', name: t('Not matched: {name}', { name: fallbackName }) }, ...choices]}
          onChange={(id) => onChange({ ...matched, [keyOfName(name)]: id })}
        />
      ))}
    </fieldset>
  )
}

interface LabelledSelectProps {
  readonly label: string
  readonly value: string
  readonly choices: readonly Choice[]
  onChange(id: string): void
}

export function LabelledSelect({ label, value, choices, onChange }: LabelledSelectProps) {
  const id = useId()
  return (
    <div class="import-name">
      <label for={id} dir="auto">
        {label}
      </label>
      <select id={id} class="input" value={value} onChange={(event) => onChange(event.currentTarget.value)}>
        {choices.map((choice) => (
          <option key={choice.id} value={choice.id}>
            {choice.name}
          </option>
        ))}
      </select>
    </div>
  )
}
