import { useId } from 'preact/hooks'
import { t } from '../../texts/text.ts'
import { type ColumnMapping, type ColumnName, columnFields, fieldsMappedTwice } from './columns.ts'
import { normalizeName, type Source } from './items.ts'
import type { IdsByName } from './matching.ts'

interface MapColumnsProps {
  readonly source: Extract<Source, { kind: 'table' }>
  readonly mapping: ColumnMapping
  onChange(mapping: ColumnMapping): void
}

/** Lets the user choose the field of each column, which is shown with its first value. */
export function MapColumns({ source, mapping, onChange }: MapColumnsProps) {
  const mappedTwice = fieldsMappedTwice(mapping)
  const set = (index: number, name: string) =>
    onChange(mapping.with(index, (name || undefined) as ColumnName | undefined))
  return (
    <section class="import-step" aria-labelledby="import-columns">
      <h2 id="import-columns">{t('Columns')}</h2>
      <div class="import-scroll">
        <table class="import-table import-columns">
          <thead>
            <tr>
              <th scope="col">{t('In the file')}</th>
              <th scope="col">{t('For example')}</th>
              <th scope="col">{t('Imported as')}</th>
            </tr>
          </thead>
          <tbody>
            {source.header.map((header, index) => (
              // Two columns may have the same header.
              <tr key={index}>
                <th scope="row" dir="auto">
                  {header}
                </th>
                <td class="quiet-text import-sample" dir="auto">
                  {source.rows.find(({ cells }) => cells[index])?.cells[index]}
                </td>
                <td>
                  <select
                    class="input"
                    aria-label={t('Field of {column}', { column: header })}
                    value={mapping[index] ?? ''}
                    onChange={(event) => set(index, event.currentTarget.value)}
                  >
                    <option value="">{t('Leave out')}</option>
                    {columnFields.map(({ name, label }) => (
                      <option key={name} value={name}>
                        {t(label)}
                      </option>
                    ))}
                  </select>
                </td>
              </tr>
            ))}
          </tbody>
        </table>
      </div>
      {!mapping.includes('name') && <p class="field-errors">{t('Choose the column with the names.')}</p>}
      {columnFields
        .filter(({ name }) => mappedTwice.includes(name))
        .map(({ name, label }) => (
          <p class="field-errors" key={name}>
            {t('Only one column can be {field}.', { field: t(label) })}
          </p>
        ))}
    </section>
  )
}

interface Choice {
  readonly id: string
  readonly name: string
}

interface MatchNamesProps {
  readonly title: string
  readonly names: readonly string[]
  readonly choices: readonly Choice[]
  readonly matched: IdsByName
  /** The default for rows without a name, and for names that are not matched. */
  readonly fallback: {
    readonly label: string
    readonly value: string
    /** The label of a further choice with an empty id. Missing if every row needs a value. */
    readonly emptyLabel?: string
    onChange(id: string): void
  }
  onChange(matched: IdsByName): void
}

/** Lets the user choose the record of this project for each name in the file. */
export function MatchNames({ title, names, choices, matched, fallback, onChange }: MatchNamesProps) {
  const fallbackName = choices.find(({ id }) => id === fallback.value)?.name ?? fallback.emptyLabel ?? ''
  return (
    <fieldset class="import-names">
      <legend>{title}</legend>
      <LabelledSelect
        label={fallback.label}
        value={fallback.value}
        choices={
          fallback.emptyLabel === undefined ? choices : [{ id: '', name: fallback.emptyLabel }, ...choices]
        }
        onChange={fallback.onChange}
      />
      {names.map((name) => (
        <LabelledSelect
          key={normalizeName(name)}
          label={name}
          value={matched[normalizeName(name)] ?? ''}
          choices={[{ id: '', name: t('Not matched: {name}', { name: fallbackName }) }, ...choices]}
          onChange={(id) => onChange({ ...matched, [normalizeName(name)]: id })}
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
