import { useId, useMemo } from 'preact/hooks'
import { t } from '../../texts/text.ts'
import {
  type ColumnMapping,
  type ColumnName,
  columnFields,
  type DateOrder,
  fieldsMappedTwice,
  hasAmbiguousDates,
} from './cells.ts'
import { datesIn, type IdsByName, type Matching, namesIn, type ProjectValues } from './matching.ts'
import { type ImportedItem, normalizeName, type Source } from './read-file.ts'

interface MapColumnsProps {
  readonly source: Extract<Source, { kind: 'table' }>
  readonly mapping: ColumnMapping
  onChange(mapping: ColumnMapping): void
}

/** Lets the user choose the field of each column. The first value of the column is shown. */
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

interface MatchValuesProps {
  readonly items: readonly ImportedItem[]
  readonly matching: Matching
  readonly values: ProjectValues
  onChange(matching: Matching): void
}

/** Lets the user match stages, types and people, and choose the order of dates if it is ambiguous. */
export function MatchValues({ items, matching, values, onChange }: MatchValuesProps) {
  const names = useMemo(() => namesIn(items), [items])
  const isAmbiguous = useMemo(() => hasAmbiguousDates(datesIn(items)), [items])
  return (
    <section class="import-step" aria-labelledby="import-values">
      <h2 id="import-values">{t('Stages, types and people')}</h2>
      <div class="import-values">
        <MatchNames
          title={t('Stages')}
          names={names.stages}
          choices={values.stages}
          matched={matching.stages}
          fallback={{
            label: t('Without a stage'),
            value: matching.defaultStage,
            onChange: (defaultStage) => onChange({ ...matching, defaultStage }),
          }}
          onChange={(stages) => onChange({ ...matching, stages })}
        />
        <MatchNames
          title={t('Types')}
          names={names.types}
          choices={values.types}
          matched={matching.types}
          fallback={{
            label: t('Without a type'),
            value: matching.defaultType,
            onChange: (defaultType) => onChange({ ...matching, defaultType }),
          }}
          onChange={(types) => onChange({ ...matching, types })}
        />
        <MatchNames
          title={t('People')}
          names={names.people}
          choices={values.people}
          matched={matching.people}
          fallback={{
            label: t('Without a person'),
            value: matching.defaultPerson,
            emptyLabel: t('Unassigned'),
            onChange: (defaultPerson) => onChange({ ...matching, defaultPerson }),
          }}
          onChange={(people) => onChange({ ...matching, people })}
        />
        {isAmbiguous && (
          <LabelledSelect
            label={t('Dates such as 3/4/2026')}
            value={matching.dateOrder}
            choices={[
              { id: 'day', name: t('3 April') },
              { id: 'month', name: t('4 March') },
            ]}
            onChange={(dateOrder) => onChange({ ...matching, dateOrder: dateOrder as DateOrder })}
          />
        )}
      </div>
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
function MatchNames({ title, names, choices, matched, fallback, onChange }: MatchNamesProps) {
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

function LabelledSelect({ label, value, choices, onChange }: LabelledSelectProps) {
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
