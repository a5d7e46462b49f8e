import { useState } from 'preact/hooks'
import type { Tracker } from '#tracker-client'
import {
  type AccountOverview,
  createFactors,
  createIdentityAdministration,
  type Factors,
  StaleSignInError,
} from '../../api/identity.ts'
import { sentenceOf } from '../../api/problems.ts'
import { useLoaded } from '../../data/use-loaded.ts'
import { linkAddress } from '../../router/router.ts'
import { useServices, useSignIn } from '../../services/services.ts'
import { t } from '../../texts/text.ts'
import { Secret } from '../../ui/copy.tsx'
import { Dialog } from '../../ui/dialog.tsx'
import { LoadProblem } from '../../ui/notes.tsx'
import { Skeleton } from '../../ui/skeleton.tsx'
import type { CatalogRow } from './catalogs.ts'

interface UserAccessDialogProps {
  readonly row: CatalogRow
  /** Called after a change of the account. */
  onChanged(): void
  onClose(): void
}

/** Manages the role, the sessions and the credentials of an account. */
export function UserAccessDialog({ row, onChanged, onClose }: UserAccessDialogProps) {
  const { configuration, session, tracker } = useServices()
  const factors = createFactors(configuration, session)
  const administration = createIdentityAdministration(configuration, session)
  const { id, name } = row
  const {
    value: account,
    problem,
    reload,
  } = useLoaded(`access ${id}`, [], async () => (await administration.listAccounts([id]))[0])
  const { isBusy, run } = useActionRunner(() => {
    reload()
    onChanged()
  })
  const [link, setLink] = useState<string>()
  const passwordActionsOf = createPasswordActions(
    async () =>
      setLink(
        linkAddress(
          '/new-password',
          await tracker.call('POST /ext/password-links', { body: { userId: id } }),
        ),
      ),
    configuration.mail
      ? () => tracker.call('POST /ext/password-links/mail', { body: { userId: id } })
      : undefined,
  )
  const isSelf = id === session.person.value?.id
  return (
    <Dialog title={t('Access of {name}', { name })} onClose={onClose}>
      {problem && <LoadProblem problem={problem} onRetry={reload} />}
      {account === undefined && !problem && <Skeleton as="rows" rows={3} cells="lines button" />}
      {isSelf && <p class="form-note">{t('Only another administrator can change your access.')}</p>}
      {link !== undefined && (
        <>
          <p class="form-note">
            {t('Give this link to {name}. It works once, within an hour, and is only shown once.', { name })}
          </p>
          <Secret label={t('Link')} text={link} onDone={() => setLink(undefined)} />
        </>
      )}
      {account && !isSelf && link === undefined && (
        <ul class="rows">
          {[...accessActionsOf(row, account, { tracker, factors }), ...passwordActionsOf(row, account)].map(
            ({ label, note, action, doneText, work }) => (
              <li key={label} class="row">
                <span class="row-text">
                  {label}
                  <span class="quiet-text line">{note}</span>
                </span>
                <button
                  type="button"
                  class="button"
                  aria-disabled={isBusy}
                  onClick={() => void run(work, doneText)}
                >
                  {action}
                </button>
              </li>
            ),
          )}
        </ul>
      )}
    </Dialog>
  )
}

/** Runs one action at a time, and reports its result. */
function useActionRunner(onDone: () => void) {
  const { router, toasts } = useServices()
  const startSignIn = useSignIn()
  const [isBusy, setBusy] = useState(false)
  const run = async (work: () => Promise<unknown>, doneText: string) => {
    if (isBusy) return
    setBusy(true)
    try {
      await work()
      toasts.show({ kind: 'done', text: doneText })
      onDone()
    } catch (error) {
      if (error instanceof StaleSignInError) {
        const { pathname, search } = router.address.peek()
        return startSignIn(pathname + search, { forcePrompt: true })
      }
      toasts.show({ kind: 'problem', text: sentenceOf(error) })
    } finally {
      setBusy(false)
    }
  }
  return { isBusy, run }
}

interface AccessAction {
  readonly label: string
  readonly note: string
  /** The label of the button. */
  readonly action: string
  /** The message after success. */
  readonly doneText: string
  work(): Promise<unknown>
}

/** A deactivated account gets no password links, because it cannot sign in. */
const createPasswordActions =
  (createLink: () => Promise<unknown>, mailLink: (() => Promise<unknown>) | undefined) =>
  ({ name }: CatalogRow, { isDeactivated }: AccountOverview): readonly AccessAction[] =>
    isDeactivated
      ? []
      : [
          {
            label: t('Password'),
            note: t('For a user who has lost it: a link to choose a new one.'),
            action: t('Create link'),
            doneText: t('The link for {name} was created.', { name }),
            work: createLink,
          },
          ...(mailLink
            ? [
                {
                  label: t('Password by mail'),
                  note: t('The link is sent only to the login, if that is an email address.'),
                  action: t('Send link'),
                  doneText: t('The link is being sent to {name}.', { name }),
                  work: mailLink,
                },
              ]
            : []),
        ]

const accessActionsOf = (
  { id, name }: CatalogRow,
  { hasRole, isDeactivated, hasFactor }: AccountOverview,
  { tracker, factors }: { readonly tracker: Tracker; readonly factors: Factors },
): readonly AccessAction[] => [
  {
    label: hasRole ? t('Administrator') : t('No administrator role'),
    note: t(
      'Administrators see and change everything. Those named in the server’s settings always have the role.',
    ),
    action: hasRole ? t('Revoke role') : t('Make administrator'),
    doneText: hasRole
      ? t('{name} is no longer an administrator.', { name })
      : t('{name} becomes an administrator at the next sign-in.', { name }),
    work: () => tracker.call(`${hasRole ? 'DELETE' : 'POST'} /ext/administrators`, { body: { userId: id } }),
  },
  {
    label: isDeactivated ? t('Deactivated') : t('May sign in'),
    note: t('Deactivating ends all sessions and prevents new ones. Names, projects and history stay.'),
    action: isDeactivated ? t('Reactivate') : t('Deactivate'),
    doneText: isDeactivated
      ? t('{name} may sign in again.', { name })
      : t('{name} was deactivated.', { name }),
    work: () =>
      tracker.call(`${isDeactivated ? 'DELETE' : 'POST'} /ext/deactivations`, { body: { userId: id } }),
  },
  {
    label: t('Sessions and tokens'),
    note: t('Ends all of them, for a lost device or a password that someone else knows.'),
    action: t('End all'),
    doneText: t('All sessions and tokens of {name} were ended.', { name }),
    work: () => tracker.call('POST /ext/sessions/end-all', { body: { userId: id } }),
  },
  ...(hasFactor
    ? [
        {
          label: t('Second factor'),
          note: t(
            'For a user who has lost the app, passkeys and recovery codes: the password alone is then enough.',
          ),
          action: t('Reset'),
          doneText: t('The second factor of {name} was reset.', { name }),
          work: () => factors.resetFactors(id),
        },
      ]
    : []),
]
