import { missing } from '../cluster/build.ts';
import { startCluster } from '../cluster/cluster.ts';
import { requires } from '../requires.ts';
import { storeConformance } from './suite.ts';

storeConformance('a real API server', requires('control plane', missing()), startCluster);
