import { useState } from 'preact/hooks'
import type { Token } from '#tracker-client'
import { loadAll } from '../../api/load-all.ts'
import { sentenceOf } from '../../api/problems.ts'
import { useLoaded } from '../../data/use-loaded.ts'
import { ChoiceField, NameField, SelectField } from '../../forms/fields.tsx'
import { Form, useForm } from '../../forms/form.tsx'
import { useServices } from '../../services/services.ts'
import { t, tn } from '../../texts/text.ts'
import { formatLongDay, formatTimestamp } from '../../time/days.ts'
import { CalendarAddressDialog, calendarAddress } from '../../ui/calendar-address.tsx'
import { ConfirmDialog } from '../../ui/confirm-dialog.tsx'
import { Secret } from '../../ui/copy.tsx'
import { Dialog } from '../../ui/dialog.tsx'
import { Icon, IconButton } from '../../ui/icon.tsx'
import { LoadProblem, Skeleton } from '../../ui/page-states.tsx'

/** Lists, creates and revokes the user's personal access tokens. */
export function TokensSection() {
  const { toasts, tracker } = useServices()
  const { value, problem, reload } = useLoaded('tokens', [], () => tracker.call('GET /ext/tokens'))
  const [dialog, setDialog] = useState<'new' | Token>()
  const revoke = async ({ id, name }: Token) => {
    try {
      await tracker.call('DELETE /ext/tokens', { body: { ids: [id] } })
      toasts.show({ kind: 'done', text: t('{name} was revoked.', { name }) })
    } catch (error) {
      toasts.show({ kind: 'problem', text: sentenceOf(error) })
    }
    reload()
  }
  return (
    <section aria-labelledby="tokens-title">
      <h2 id="tokens-title">{t('Personal access tokens')}</h2>
      <p class="form-note">
        {t(
          'A script sends a token instead of signing in. You choose its permissions, which never exceed your own.',
        )}
      </p>
      {problem && <LoadProblem problem={problem} onRetry={reload} />}
      {value === undefined && !problem && <Skeleton as="rows" rows={1} cells="lines button" />}
      <ul class="rows">
        {value?.tokens.map((token) => (
          <TokenRow key={token.id} token={token} onRevoke={() => setDialog(token)} />
        ))}
        <li class="row">
          <span class="row-text quiet-text">{value?.tokens.length === 0 && t('You have no tokens.')}</span>
          <button type="button" class="button" onClick={() => setDialog('new')}>
            <Icon name="plus" />
            <span>{t('New token')}</span>
          </button>
        </li>
      </ul>
      {dialog === 'new' && (
        <TokenDialog
          onClose={() => {
            setDialog(undefined)
            reload()
          }}
        />
      )}
      {dialog !== undefined && dialog !== 'new' && (
        <ConfirmDialog
          title={t('Revoke {name}?', { name: dialog.name })}
          text={t('Programs that use it are rejected within 30 seconds. This cannot be undone.')}
          confirmLabel={t('Revoke token')}
          onConfirm={() => void revoke(dialog)}
          onClose={() => setDialog(undefined)}
        />
      )}
    </section>
  )
}

const TokenRow = ({ token, onRevoke }: { readonly token: Token; onRevoke(): void }) => {
  const { name, scopes, projectIds, expiresAt, lastUsedAt, lastUsedAddress } = token
  const projects =
    projectIds === null
      ? t('in all your projects')
      : tn(projectIds.length, 'in {count} project', 'in {count} projects')
  const lastUse =
    lastUsedAt === null
      ? t('never used')
      : t('last used {time} from {address}', {
          time: formatTimestamp(lastUsedAt),
          address: lastUsedAddress ?? t('an unknown address'),
        })
  return (
    <li class="row">
      <span class="row-text">
        <bdi>{name}</bdi>
        <span class="quiet-text line">
          {describeScopes(scopes)}, {projects}
        </span>
        <span class="quiet-text line">
          {t('Until {day}', { day: formatLongDay(expiresAt) })} · {lastUse}
        </span>
      </span>
      <IconButton icon="close" label={t('Revoke {name}', { name })} run={onRevoke} />
    </li>
  )
}

const allProjects = 'all'
/** The user can choose from at most 300 projects. */
const pagesMax = 3

/** Creates a token, and shows its secret once. */
function TokenDialog({ onClose }: { onClose(): void }) {
  const { api, configuration, tracker } = useServices()
  const [created, setCreated] = useState<{ readonly secret: string; readonly isForCalendar: boolean }>()
  const form = useForm({
    initial: { name: '', scopes: '', projectIds: allProjects, expiresAt: '90' },
    async submit({ name, scopes, projectIds, expiresAt }) {
      const body = {
        name,
        scopes: scopesOf(scopes),
        projectIds: projectIds === allProjects ? null : [projectIds],
        expiresAt: new Date(Date.now() + Number(expiresAt) * 86_400_000).toISOString(),
      }
      const { secret } = await tracker.call('POST /ext/tokens', { body })
      const isForCalendar = scopes === calendarChoice
      const projectId = projectIds === allProjects ? undefined : projectIds
      const displayedSecret = isForCalendar
        ? calendarAddress(configuration.apiUrl, secret, projectId)
        : secret
      setCreated({ isForCalendar, secret: displayedSecret })
    },
  })
  const { value: projects } = useLoaded('own projects', ['project'], (signal) =>
    loadAll(api, 'project', { sortColumn: 'name' }, { pagesMax, signal }),
  )
  if (created?.isForCalendar) return <CalendarAddressDialog address={created.secret} onClose={onClose} />
  if (created)
    return (
      <Dialog title={t('Your new token')} onClose={onClose}>
        <p>{t('Copy it now, and keep it like a password: it is only shown once.')}</p>
        <Secret label={t('Token')} text={created.secret} onDone={onClose} />
      </Dialog>
    )
  return (
    <Dialog title={t('New token')} onClose={onClose}>
      <Form form={form} submitLabel={t('Create token')} onCancel={onClose}>
        <NameField form={form} hint={t('The program that will use it.')} />
        <ChoiceField form={form} name="scopes" label={t('Permissions')} required choices={scopeChoices} />
        <SelectField
          form={form}
          name="projectIds"
          label={t('Where')}
          required
          choices={[{ id: allProjects, name: t('In all my projects') }, ...(projects?.rows ?? [])]}
        />
        <SelectField
          form={form}
          name="expiresAt"
          label={t('Valid for')}
          required
          choices={[7, 30, 90, 365].map((days) => ({ id: String(days), name: t('{days} days', { days }) }))}
        />
      </Form>
    </Dialog>
  )
}

const calendarChoice = 'calendar'

/** Common sets of permissions. The API also allows other sets. */
const scopeChoices = [
  { id: 'read', name: 'Read everything', scopes: ['*:read'] },
  { id: 'write', name: 'Read and change everything', scopes: ['*:write'] },
  {
    id: 'hours',
    name: 'Read the work, record hours',
    scopes: ['appointment:write', 'assignment:read', 'person:read', 'project:read'],
  },
  {
    id: 'work',
    name: 'Read and change assignments and comments',
    scopes: [
      'assignment:write',
      'assignmentImpediment:write',
      'assignmentType:read',
      'comment:write',
      'impediment:read',
      'person:read',
      'project:read',
      'userAssignment:write',
      'workflow:read',
    ],
  },
  { id: calendarChoice, name: 'Show assignments in another calendar', scopes: ['calendar:read'] },
] as const

const scopesOf = (choice: string): readonly string[] =>
  scopeChoices.find(({ id }) => id === choice)?.scopes ?? []

function describeScopes(scopes: readonly string[]): string {
  const key = [...scopes].sort().join()
  const choice = scopeChoices.find((candidate) => [...candidate.scopes].sort().join() === key)
  return choice ? t(choice.name) : scopes.join(', ')
}
