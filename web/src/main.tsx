import { createRoot } from 'react-dom/client';
import { App } from './App';
import { StoreProvider } from './state/store';
import './styles/base.css';
import './styles/layout.css';
import './styles/editor.css';
import './styles/results.css';
import './styles/tools.css';

const root = document.getElementById('root');
if (root) {
  createRoot(root).render(
    <StoreProvider>
      <App />
    </StoreProvider>,
  );
}
