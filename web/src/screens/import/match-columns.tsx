import { t } from '../../texts/text.ts'
import { type ColumnMatching, type ColumnName, columnFields, fieldsMatchedTwice } from './columns.ts'
import type { Source } from './items.ts'

interface MatchColumnsProps {
  readonly source: Extract<Source, { kind: 'table' }>
  readonly matching: ColumnMatching
  onChange(matching: ColumnMatching): void
}

/** Chooses the field of each column, next to the first values of the column. */
export function MatchColumns({ source, matching, onChange }: MatchColumnsProps) {
  const twice = fieldsMatchedTwice(matching)
  const set = (index: number, name: string) =>
    onChange(
      matching.map((one, position) => (position === index ? ((name || undefined) as ColumnName) : one)),
    )
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
                    value={matching[index] ?? ''}
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
      {!matching.includes('name') && <p class="field-errors">{t('Choose the column with the names.')}</p>}
      {columnFields
        .filter(({ name }) => twice.includes(name))
        .map(({ name, label }) => (
          <p class="field-errors" key={name}>
            {t('Only one column can be {field}.', { field: t(label) })}
          </p>
        ))}
    </section>
  )
}
