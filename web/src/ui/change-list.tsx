import type { Change } from '../api/types.ts'
import { useServices } from '../services/services.ts'
import { nounOf } from '../texts/declared-names.ts'
import { type Text, t } from '../texts/text.ts'
import { showMoment } from '../time/moments.ts'
import { PersonAvatar } from './person-avatar.tsx'

/** Who did what and when, with what it was before. */
export const ChangeList = ({ changes }: { readonly changes: readonly Change[] }) => (
  <ol class="rows">
    {changes.map((change) => (
      <ChangeRow key={change.id} change={change} />
    ))}
  </ol>
)

function ChangeRow({ change }: { readonly change: Change }) {
  const { people } = useServices()
  const fields = fieldsOf(change)
  const who = change.callerId === null ? t('The program') : people.nameOf(change.callerId)
  return (
    <li class="row">
      {change.callerId !== null && <PersonAvatar id={change.callerId} isNamed />}
      <span class="row-text">
        <span dir="auto">{who}</span> {t(did[change.action], { what: nounOf(change.resource) })}
        {fields.map(({ name, before, after }) => (
          <span key={name} class="quiet-text line" dir="auto">
            {nounOf(name)}: {before !== '' && <del>{before}</del>} {after}
          </span>
        ))}
        <time class="quiet-text line" dateTime={change.at}>
          {showMoment(change.at)}
        </time>
      </span>
    </li>
  )
}

const did: Readonly<Record<Change['action'], Text>> = {
  create: 'made {what}',
  update: 'changed {what}',
  remove: 'removed {what}',
  restore: 'restored {what}',
}

/** What the action says already, and what only programs read, is left out. */
const silent: ReadonlySet<string> = new Set(['active', 'deletedAt', 'createdAt', 'updatedAt'])

/** Of a new row only the name is shown, and of a reference only its kind. */
function fieldsOf({ action, before, after }: Change) {
  const names = Object.keys(after ?? {}).filter(
    (name) => !silent.has(name) && (action !== 'create' || name === 'name' || name === 'text'),
  )
  return names.map((name) => ({
    name,
    before: shown(name, before?.[name]),
    after: shown(name, after?.[name]),
  }))
}

const charactersMax = 120

function shown(name: string, value: unknown): string {
  if (value === null || value === undefined) return ''
  if (name.endsWith('Id')) return t('another one')
  if (typeof value === 'string' && /^\d{4}-\d\d-\d\dT[\d:.]+Z$/.test(value)) return showMoment(value)
  const text = String(value)
  return text.length > charactersMax ? `${text.slice(0, charactersMax)}…` : text
}
