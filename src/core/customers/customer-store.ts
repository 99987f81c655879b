import type { Reads, Repositories, Transactional } from '../shared/transactional.js';

export type CustomerReader = Reads;
export type CustomerTransaction = Repositories;
export type CustomerStore = Transactional<keyof Repositories>;
