export default class WorkerRealmEnvironment {
  constructor(config: { projectConfig: { testEnvironmentOptions: object } });
  teardown(): Promise<void>;
}
