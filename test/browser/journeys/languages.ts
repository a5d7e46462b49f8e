import assert from 'node:assert/strict'
import { test } from 'node:test'
import { fillSignIn, type Stage } from '../support/stage.ts'

const brazil = { locale: 'pt-BR', timezoneId: 'America/Sao_Paulo' }

export function languageJourneys(stage: () => Stage): void {
  test('follow the browser: signing in, a new assignment, hours, their removal and its undo in Portuguese', async () => {
    const { visit, workspace } = stage()
    const { login } = await workspace.join('Paula Portuguesa')
    const page = await visit(`/projects/${workspace.projectId}`, brazil)
    await page.getByRole('heading', { name: 'Entrar' }).waitFor()
    assert.equal(await page.locator('html').getAttribute('lang'), 'pt-BR')
    await fillSignIn(page, login, 'errada')
    await page.getByText('O login ou a senha está incorreto.').waitFor()
    await fillSignIn(page, login)
    await page.getByRole('button', { name: 'Conta de Paula Portuguesa' }).waitFor()

    await page.getByRole('button', { name: 'Nova tarefa', exact: true }).click()
    const dialog = page.getByRole('dialog', { name: 'Nova tarefa' })
    await dialog.getByRole('button', { name: 'Criar tarefa' }).click()
    await dialog.getByText('Nome: preenchimento obrigatório.').waitFor()
    await dialog.getByLabel('Nome', { exact: true }).fill('Revisar o contrato')
    await dialog.getByLabel('Tipo').selectOption('Feature')
    // A start behind the end takes it along.
    await dialog.getByLabel('Início', { exact: true }).fill('5/12/2031')
    await page.keyboard.press('Tab')
    assert.equal(await dialog.getByLabel('Fim', { exact: true }).inputValue(), '11 de dez. de 2031')
    await dialog.getByLabel('Horas planejadas').fill('7,5')
    await dialog.getByRole('button', { name: 'Criar tarefa' }).click()
    await page.getByText('Criado: Revisar o contrato.').waitFor()
    await page.getByRole('link', { name: 'Revisar o contrato' }).first().click()

    const panel = page.getByRole('region', { name: 'Horas', exact: true })
    await panel.getByRole('button', { name: 'Apontar horas' }).click()
    await panel.getByLabel('Horas', { exact: true }).fill('1,5')
    await panel.getByRole('button', { name: 'Apontar', exact: true }).click()
    await panel.getByText('1,5 h de 7,5 h').waitFor()
    await panel.getByRole('button', { name: /^Remover 1,5 h em \d+ de \p{Ll}{3}\.$/u }).click()
    await page.getByText(/^Removido: 1,5 h em \d+ de \p{Ll}{3}\.$/u).waitFor()
    await panel.getByText('0 h de 7,5 h').waitFor()
    await page.getByRole('button', { name: 'Desfazer' }).click()
    await panel.getByText('1,5 h de 7,5 h').waitFor()
  })

  test('write dates, weekdays, numbers and plurals as the language does', async () => {
    const { signIn, workspace } = stage()
    const { id: userId, login } = await workspace.join('Diana Datas')
    const week = { startDate: '2027-05-03', endDate: '2027-05-07', userId }
    const assignmentId = await workspace.assignment('Com datas', { ...week, amountHours: 1234.5 })
    await workspace.make('appointment', { assignmentId, userId, keepDate: '2027-05-03', amountHours: 2.5 })
    const page = await signIn(login, '/week?week=2027-05-03', brazil)
    await page.getByRole('heading', { name: 'Minha semana' }).waitFor()
    const monday = page.getByRole('textbox', { name: 'Com datas, seg. 3 de mai. de 2027', exact: true })
    assert.equal(await monday.inputValue(), '2,5')
    await page.getByText('de 1.234,5 h', { exact: true }).first().waitFor()
    await monday.fill('3,25')
    await page.keyboard.press('Enter')
    await page.getByRole('row', { name: 'Total' }).getByText('3,25 h').first().waitFor()
  })

  test('are chosen in the account screen, and stay after a reload and in other tabs', async () => {
    const { hosts, signIn, workspace } = stage()
    const { login } = await workspace.join('Sofia Switch')
    const page = await signIn(login, '/account')
    assert.equal(await page.locator('html').getAttribute('lang'), 'en')
    await page.getByRole('combobox', { name: 'Language' }).selectOption('Português (Brasil)')
    await page.getByRole('heading', { name: 'Minha conta' }).waitFor()
    await page.reload()
    await page.getByRole('heading', { name: 'Minha conta' }).waitFor()
    const other = await page.context().newPage()
    await other.goto(`${hosts.web}/projects`)
    await other.getByRole('heading', { name: 'Projetos' }).waitFor()
    await page.getByRole('combobox', { name: 'Idioma' }).selectOption('English')
    await page.getByRole('heading', { name: 'My account' }).waitFor()
    assert.equal(await page.locator('html').getAttribute('lang'), 'en')
    await page.evaluate(`localStorage.setItem('tracker.language', 'pt-BR')`)
    await page.getByRole('button', { name: 'Account of Sofia Switch' }).click()
    const toldProvider = page.waitForRequest(/\/connect\/authorize\?.*ui_locales=pt-BR/)
    await page.getByRole('menuitem', { name: 'Sign out' }).click()
    await toldProvider
    await page.getByRole('heading', { name: 'Entrar' }).waitFor()
  })

  test('are loaded only by those who chose them', async () => {
    const { signIn, workspace } = stage()
    const loadedBy = async (name: string, options = {}) => {
      const { login } = await workspace.join(name)
      const page = await signIn(login, '/projects', options)
      await page.getByRole('link', { name: 'Website relaunch' }).waitFor()
      return page.evaluate<string>(`performance.getEntriesByType('resource').map(({ name }) => name).join()`)
    }
    assert.match(await loadedBy('Bruna Brasil', brazil), /pt-br-/)
    assert.doesNotMatch(await loadedBy('Ellen English'), /pt-br-/)
  })
}
