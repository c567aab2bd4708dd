FROM python:3.12-slim
RUN pip install --no-cache-dir 'diveval[track]=={version}'
COPY evaluate.py /evaluator/evaluate.py
